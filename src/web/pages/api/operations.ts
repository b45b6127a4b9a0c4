import { apiPrefix } from '../../../wire/routes.js';

/** A value that a request needs or takes. */
export interface ApiField {
  name: string;
  place: 'path' | 'query' | 'body' | 'file';
  type: string;
  isRequired: boolean;
  description: string;
  /** The value at first; empty: left out. */
  example: string;
}

/** One request of the API. */
export interface Operation {
  id: string;
  method: string;
  path: string;
  summary: string;
  needsKey: boolean;
  fields: readonly ApiField[];
  /** The fields of the response, with their types. */
  answer: readonly string[];
}

interface Schema {
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: readonly string[];
  required?: readonly string[];
  properties?: Record<string, Schema>;
}

interface ApiOperation {
  operationId: string;
  summary?: string;
  security?: readonly object[];
  parameters?: readonly {
    name: string;
    in: 'path' | 'query';
    required?: boolean;
    description?: string;
    schema: Schema;
  }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

/** The part of an OpenAPI document that the page shows. */
export interface ApiDocument {
  paths: Record<string, Record<string, ApiOperation>>;
}

/** Values that work on every server. */
const examples: Record<string, string> = {
  email: 'ada@example.org',
  emails: '["ada@example.org", "bob@example.org"]',
  email_column: 'email',
  // A job must not be deleted by accident.
  only: 'cancel',
};

/** The operations of a document: first those of the interface, then those about the server. */
export function operationsIn({ paths }: ApiDocument): Operation[] {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => toOperation(path, method, operation)),
  );
  const isOfInterface = ({ path }: Operation): boolean => path.startsWith(apiPrefix);
  return [...operations.filter(isOfInterface), ...operations.filter((each) => !isOfInterface(each))];
}

function toOperation(path: string, method: string, operation: ApiOperation): Operation {
  const { operationId: id, summary = '', security, parameters = [], requestBody, responses } = operation;
  const inUrl = parameters.map(({ name, in: place, required = false, description, schema }) =>
    toField(name, place, { ...schema, ...(description !== undefined && { description }) }, required),
  );
  const [body] = Object.values(requestBody?.content ?? {});
  const inBody = Object.entries(body?.schema.properties ?? {}).map(([name, schema]) =>
    toField(name, schema.format === 'binary' ? 'file' : 'body', schema, body?.schema.required?.includes(name) ?? false),
  );
  const [answer] = Object.values(responses['200']?.content ?? {});
  return {
    id,
    method: method.toUpperCase(),
    path,
    summary,
    needsKey: security === undefined,
    fields: [
      ...inUrl.filter(({ place }) => place === 'path'),
      ...inUrl.filter(({ place }) => place !== 'path'),
      ...inBody,
    ],
    answer: Object.entries(answer?.schema.properties ?? {}).map(([name, schema]) => `${name} (${typeOf(schema)})`),
  };
}

function toField(name: string, place: ApiField['place'], schema: Schema, isRequired: boolean): ApiField {
  const { description = '' } = schema;
  const choices = schema.enum === undefined ? '' : `One of ${schema.enum.join(', ')}.`;
  const text = [description, choices].filter((part) => part !== '').join('. ');
  return { name, place, type: typeOf(schema), isRequired, description: text, example: examples[name] ?? '' };
}

function typeOf({ type = 'any' }: Schema): string {
  return typeof type === 'string' ? type : type.join(' or ');
}
