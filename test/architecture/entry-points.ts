/** Where a package or a Node module may be imported: a folder, or the beginning of a file path. */
export const packageEntryPoints: Record<string, readonly string[]> = {
  commander: ['cli/'],
  chalk: ['cli/'],
  ora: ['cli/'],
  'cli-table3': ['cli/'],
  '@clack/prompts': ['cli/'],
  '@modelcontextprotocol/server': ['cli/commands/mcp/'],
  socks: ['net/'],
  undici: ['service/remote/'],
  papaparse: ['rows/'],
  'postal-mime': ['service/bounces/parse-notice'],
  fflate: ['rows/write/write-workbook'],
  tr46: ['engine/grammar/idna', 'engine/address/edge-idna'],
  conf: ['settings/'],
  fastify: ['server/'],
  '@fastify/multipart': ['server/'],
  pino: ['server/'],
  pg: ['jobs/'],
  bullmq: ['jobs/'],
  ioredis: ['jobs/'],
  preact: ['web/', 'report/'],
  'preact-render-to-string': ['report/'],
  'node-sqlite3-wasm': ['jobs/'],
  'node:sqlite': ['jobs/'],
  'node:worker_threads': ['rows/read/decode/read-workbook', 'rows/read/decode/workbook-worker'],
  'node:dns': ['net/'],
  'node:dgram': ['net/'],
  'node:net': ['net/', 'server/'],
  'node:tls': ['net/'],
  'node:http': ['server/'],
  'node:https': ['server/'],
};

/** The files of each module that others may import. A layer without modules is open: each of its files is an entry point. */
export const moduleEntryPoints: Record<string, readonly string[]> = readTable(`
cli/commands: all
cli/commands/admin: define
cli/commands/bounces: define
cli/commands/bulk: define
cli/commands/completion: define
cli/commands/config: define
cli/commands/diff: define
cli/commands/doctor: define
cli/commands/explain: define
cli/commands/forget: define
cli/commands/jobs: define detached-worker follow output-source write-results
cli/commands/keys: define
cli/commands/lists: define
cli/commands/login: define
cli/commands/mcp: define
cli/commands/report: define
cli/commands/serve: define
cli/commands/store: define
cli/commands/upload: define
cli/commands/validate: define
cli/commands/worker: define
cli/flags: field-names find-command flags guards list-flags output-flags usage-failure
cli/render: bounces diagnosis explain final-summary help-topics jobs log-lines preview progress
cli/render/result: card
cli/render/rows: formats row-writer
cli/render/style: bar grid help-style paint text-layout
cli/results: hash-field output output-files print-records report-run rows-with-results stats-files write-list
cli/terminal: confirm-deletion digest-files file-sink open-process output-target progress prompt read-lines
    sanitize stderr-lines terminal
engine/address: address-facts disposable email-schema
engine/checks: mail-exchange resolver-trust
engine/grammar: idna idna-tables parse-address
engine/lists: data-sources installed-lists lists providers public-suffix reserved-names roles sorted-lines
    top-level-domains typo user-lists
engine/plausibility: plausibility
jobs/queue: client-refusal member permits queue work-jobs
jobs/results: job-results
jobs/run: runner
jobs/store: cluster-stats files job-record keys members open-store records results retention sessions store
    usage webhooks
jobs/store/postgres: connections copy-store database postgres-store slices
jobs/store/sqlite: open-sqlite sqlite sqlite-store
jobs/uploads: confirm-upload email-record forget-address job-files preview-upload stored-list uploads
model/record-checks: record-check record-checks spf
model/text: count-lines evidence-lines headline readable-domain record-answers safe-text sentences
    shell-word short-id status-sign time why-not
net/dns: dns record-types recording-dns records resolver-address
net/pool: host-permits host-scheduler host-traits port25-status probe-task
net/probe: greylist-schedule prober smtp-prober
net/replies: match-phrase read-reply reading
net/smtp: connection dial fault greeting identity open-session reply-parser session tls
report/components: column-chart domain-name list-charts panel reasons report-head status-bar
rows/read: detect-format email-column find-addresses open-list read-rows
rows/read/csv: csv-hints csv-scanner detect-dialect open-csv
rows/read/decode: byte-source open-text read-failure
rows/read/json: json-fields scan-json
rows/table: formula verdict-columns
rows/write: encode-row write-record write-workbook
server/access: admission charged-mailboxes credits edge key-cache limits rate-limit sessions sign-in-throttle
server/http: connections http-server json-body problems receive-file results-body
server/observe: audit log metrics readiness usage
server/routes: jobs router system validation
server/web: job-access pages web web-context
server/webhooks: send-webhook webhook-queue
service/answers: open-answers
service/bounces: read-inputs suppression-file track-outcomes
service/diagnosis: check diagnosis machine mail-port reply-explanation
service/hybrid: hybrid
service/lists: update-lists
service/local: check-setting jobs keys learned-deliveries local port25-cache store-tools validation
service/outputs: compare read-output run-verdicts
service/remote: download joined-jobs remote upload-in-parts
web/pages: account-page interface-page invitation set-up sign-in status-page usage-page
web/pages/check: check-page
web/pages/keys: keys-page
web/pages/list: list-page
web/pages/lists: all-lists lists-page
web/pages/settings: settings-page
web/parts: button dialog field form job-words lazy menu new-password page-head pager remote-content shell-line shown-once
    things time
web/server: call upload use-answer
`);

/** Reads lines of `module: files`; an indented line goes on with the files. */
function readTable(text: string): Record<string, string[]> {
  const lines = text.trim().replace(/\n +/g, ' ').split('\n');
  return Object.fromEntries(
    lines.map((line) => line.split(': ')).map(([module = '', files = '']) => [module, files.split(' ')]),
  );
}
