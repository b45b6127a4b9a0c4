import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { readDataFile } from '../disk/bundled-file.js';
import { safeText } from '../model/text/safe-text.js';
import { OutcomePage } from './outcome-page.js';
import type { OutcomeStats } from './outcome-stats.js';
import { ReportPage } from './report-page.js';
import type { RunStats } from './run-stats.js';

/** A self-contained HTML file, and its content security policy. */
interface Report {
  html: string;
  /** Allows only its own script and style. The page holds it, too. */
  policy: string;
}

/** Renders the stats of a run. JSX escapes all text. */
export function renderReport(stats: RunStats): Report {
  return renderPage(stats.list.name ?? 'A list', <ReportPage stats={stats} />);
}

/** Renders verdicts against what happened. */
export function renderOutcomeReport(stats: OutcomeStats, endedAt: number): Report {
  return renderPage('Bounces', <OutcomePage stats={stats} endedAt={endedAt} />);
}

function renderPage(name: string, page: VNode): Report {
  const style = `${dataFile('look.css')}${dataFile('report.css')}`;
  const script = dataFile('report.js');
  const policy = `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script)}; base-uri 'none'; form-action 'none'`;
  const body = renderToString(page);
  const title = safeText(name);
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
${renderToString(<title>{`${title} · mailvet report`}</title>)}
<style>${style}</style>
</head>
<body>
${body}
<script>${script}</script>
</body>
</html>
`;
  return { html, policy };
}

function dataFile(name: string): string {
  return readDataFile(join(import.meta.dirname, 'data', name)).toString('utf8');
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
