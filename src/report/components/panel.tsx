import type { ComponentChildren } from 'preact';

/** A section with a heading. */
export function Panel({
  title,
  aside,
  children,
}: {
  title: string;
  aside?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <section class="panel">
      {aside === undefined ? (
        <h2>{title}</h2>
      ) : (
        <div class="space-between">
          <h2>{title}</h2>
          {aside}
        </div>
      )}
      {children}
    </section>
  );
}

/** A column of a table. */
export interface Column<Row> {
  name: string;
  cell(row: Row): ComponentChildren;
  /** Of its cells, and of the name where it says how to align. */
  class?: string | ((row: Row) => string);
  /** The name is for screen readers only. */
  isHidden?: boolean;
  /** The name is not repeated where the cells of a row stack. */
  isBare?: boolean;
  /** The cell names its row. */
  isRowHead?: boolean;
  /** The tooltip of the name. */
  title?: string;
}

export interface TableProps<Row> {
  /** Read by screen readers only. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** Said instead of a table without rows. */
  empty?: string;
  keyOf?(row: Row): string;
  rowClass?(row: Row): string;
  /** The names of the columns are shown. */
  hasHead?: boolean;
  /** Stacks the cells on a narrow screen. */
  stacks?: boolean;
  /** Lets a menu overflow the table. */
  allowOverflow?: boolean;
  id?: string;
}

/** A table that scrolls horizontally if it is too wide. */
export function Table<Row>({
  caption,
  columns,
  rows,
  empty,
  keyOf,
  rowClass,
  hasHead = true,
  stacks = false,
  allowOverflow = false,
  id,
}: TableProps<Row>) {
  if (empty !== undefined && rows.length === 0) return <p class="muted">{empty}</p>;
  return (
    <div class={allowOverflow ? 'wide allow-overflow' : 'wide'}>
      <table {...(id !== undefined && { id })} {...(stacks && { class: 'stacks' })}>
        <caption class="visually-hidden">{caption}</caption>
        {hasHead && (
          <thead>
            <tr>
              {columns.map(({ name, isHidden = false, class: style, title }) => (
                <th key={name} {...alignmentOf(style)} {...(title !== undefined && { title })}>
                  {isHidden ? <span class="visually-hidden">{name}</span> : name}
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((row, at) => (
            <tr key={keyOf?.(row) ?? at} {...(rowClass && { class: rowClass(row) })}>
              {columns.map((column) => cellOf(column, row, stacks))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function alignmentOf(style: Column<never>['class']): { class?: string } {
  const kept = typeof style === 'string' ? (style.match(/\b(?:number|row-number|wide-screen-only)\b/g) ?? []) : [];
  return kept.length > 0 ? { class: kept.join(' ') } : {};
}

function cellOf<Row>(column: Column<Row>, row: Row, stacks: boolean) {
  const { name, cell, class: style, isHidden = false, isBare = false, isRowHead = false } = column;
  const text = typeof style === 'function' ? style(row) : style;
  const props = {
    ...(text !== undefined && text !== '' && { class: text }),
    ...(stacks && !isHidden && !isBare && !isRowHead && { 'data-label': name }),
  };
  const Cell = isRowHead ? 'th' : 'td';
  return (
    <Cell key={name} {...(isRowHead && { scope: 'row' })} {...props}>
      {cell(row)}
    </Cell>
  );
}
