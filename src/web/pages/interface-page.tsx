import { type Column, Table } from '../../report/components/panel.js';
import type { Route } from '../../wire/route.js';
import { routes } from '../../wire/routes.js';
import { CopyButton } from '../parts/button.js';
import { PageHead } from '../parts/page-head.js';

/** Bodies that work as they are. */
const examples: Record<string, string> = {
  validateOne: `--json '{"email":"ada@python.org"}'`,
  validateMany: `--json '{"emails":["ada@python.org","bob@example.org"]}'`,
  previewUpload: '-F file=@list.csv',
  confirmUpload: `--json '{"upload_id":"UPLOAD_ID","email_column":"email"}'`,
};

interface Operation extends Route {
  name: string;
}

const operations = Object.entries<Route>(routes)
  .filter(([, { summary }]) => summary !== undefined)
  .map(([name, route]): Operation => ({ name, ...route }));

/** The key comes from a variable, since pages never show a whole key again. */
function curlOf({ name, method, path, may, query }: Operation): string {
  const example = examples[name];
  const parameters = name === 'validateOneByQuery' ? '?email=ada@python.org' : '';
  return [
    'curl',
    ...(may === 'public' ? [] : [`-H "X-API-Key: $MAILVET_API_KEY"`]),
    ...(method === 'DELETE' || (method === 'POST' && example === undefined) ? [`-X ${method}`] : []),
    ...(example === undefined ? [] : [example]),
    `'${location.origin}${path.replace('{job_id}', 'JOB_ID')}${query === undefined ? '' : parameters}'`,
  ].join(' ');
}

const columns: Column<Operation>[] = [
  {
    ...{ name: 'Request', class: 'breaks', isBare: true },
    cell: ({ method, path, summary }) => (
      <>
        <code>
          <b>{method}</b> {path}
        </code>
        <p class="muted">{summary}</p>
      </>
    ),
  },
  {
    ...{ name: 'Copy', class: 'number', isHidden: true },
    cell: (operation) => <CopyButton text={curlOf(operation)}>{`curl`}</CopyButton>,
  },
];

/** The operations of the interface, each with its `curl`. */
export function InterfacePage() {
  return (
    <>
      <PageHead
        title="Interface"
        description={
          <>
            For programs, at <code>{location.origin}</code>: send a key in the header X-API-Key.{' '}
            <a href={routes.openApi.path}>openapi.json</a> describes every field.
          </>
        }
      />
      <section class="panel" aria-label="Operations">
        <Table caption="Operations" hasHead={false} columns={columns} rows={operations} keyOf={({ name }) => name} />
      </section>
    </>
  );
}
