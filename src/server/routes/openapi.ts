import { keyHeader } from '../../wire/api.js';
import { components } from '../../wire/components.js';
import type { Route } from '../../wire/route.js';
import { routes } from '../../wire/routes.js';
import type { Schema } from '../../wire/schema.js';

/** The OpenAPI document of the interface, made from the table of routes. */
export function describeInterface(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [name, route] of Object.entries<Route>(routes)) {
    if (route.summary === undefined) continue;
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(name, route) };
  }
  const schemas = Object.entries(components).map(([name, schema]) => [name, withReferences(schema, schema)]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'mailvet',
      description: 'Validates email addresses: one, many, or a CSV file as a job.',
      version: __VERSION__,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'this one' }],
    security: [{ key: [] }],
    paths,
    components: {
      securitySchemes: { key: { type: 'apiKey', in: 'header', name: keyHeader } },
      schemas: Object.fromEntries(schemas),
    },
  };
}

function operationOf(operationId: string, { path, may, summary, query, body, form, answer }: Route): object {
  const [, id] = /\{(\w+)\}/.exec(path) ?? [];
  const parameters = [
    ...(id === undefined ? [] : [{ name: id, in: 'path', required: true, schema: { type: 'string' } }]),
    ...(query === undefined ? [] : parametersOf(query)),
  ];
  const content = body === undefined ? form && asContent('multipart/form-data', form) : asContent(jsonType, body);
  const error = { description: 'An error', content: asContent(jsonType, components.Problem) };
  return {
    operationId,
    summary,
    ...(may === 'public' && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(content && { requestBody: { required: true, content } }),
    responses: { 200: answerOf(answer), '4XX': error, '5XX': error },
  };
}

function parametersOf({ properties, required }: Schema): object[] {
  const isRequired = (name: string): boolean => (required as readonly string[]).includes(name);
  return Object.entries(properties as Record<string, Schema>).map(([name, { description, ...schema }]) => ({
    ...{ name, in: 'query', required: isRequired(name), ...(description !== undefined && { description }), schema },
  }));
}

const jsonType = 'application/json';

function answerOf(answer: Route['answer']): object {
  if (!('types' in answer)) return { description: 'The answer', content: asContent(jsonType, answer) };
  const { description, types } = answer as { description: string; types: readonly string[] };
  const schemaOf = (type: string): Schema => (type === jsonType ? {} : { type: 'string' });
  return { description, content: Object.assign({}, ...types.map((type) => asContent(type, schemaOf(type)))) };
}

function asContent(type: string, schema: Schema): Record<string, object> {
  return { [type]: { schema: withReferences(schema) } };
}

const names = new Map<unknown, string>(Object.entries(components).map(([name, schema]) => [schema, name]));

/** Named schemas are referred to, except the one that is described itself. */
function withReferences(schema: unknown, described?: unknown): unknown {
  const name = names.get(schema);
  if (name !== undefined && schema !== described) return { $ref: `#/components/schemas/${name}` };
  if (Array.isArray(schema)) return schema.map((each) => withReferences(each));
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, withReferences(value)]));
}
