// The search above the table, and the theme button. The report is complete without this script.
(() => {
  const root = document.documentElement;
  const theme = document.getElementById('theme');
  theme.hidden = false;
  theme.addEventListener('click', () => {
    const shown = root.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
    root.dataset.theme = shown === 'dark' ? 'light' : 'dark';
  });

  const table = document.getElementById('rows');
  if (table === null) return;
  const search = document.getElementById('search');
  const status = document.getElementById('status');
  const shown = document.getElementById('shown');
  const rows = [...table.tBodies[0].rows].map((row) => ({
    row,
    text: row.textContent.toLowerCase(),
    status: row.cells[1].textContent,
  }));
  document.getElementById('filter').hidden = false;
  let timer = 0;
  const filter = () => {
    const wanted = search.value.trim().toLowerCase();
    let found = 0;
    for (const entry of rows) {
      const fits = entry.text.includes(wanted) && entry.status.endsWith(status.value);
      entry.row.hidden = !fits;
      if (fits) found++;
    }
    shown.textContent = wanted === '' && status.value === '' ? '' : `${found.toLocaleString('en-US')} found`;
  };
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(filter, 100);
  };
  search.addEventListener('input', soon);
  status.addEventListener('change', soon);
})();
