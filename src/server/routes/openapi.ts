import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { apiPrefix, keyHeader, routes, uploadField } from '../../wire/routes.js';

/** The OpenAPI description, apart from the schemas of the routes. */
export const description: FastifyDynamicSwaggerOptions = {
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'mailvet',
      description: 'Validates email addresses: one, many, or a CSV file as a job.',
      version: __VERSION__,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'this one' }],
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: keyHeader } } },
    security: [{ key: [] }],
  },
  transformObject: (document) => {
    if (!('openapiObject' in document)) return document.swaggerObject;
    const { openapiObject } = document;
    const preview = openapiObject.paths?.[apiPrefix + routes.previewUpload.path]?.post;
    if (preview !== undefined) Object.assign(preview, { requestBody: { required: true, content: form } });
    return openapiObject;
  },
};

/** The form is read as a stream, so the route has no schema for it. */
const form = {
  'multipart/form-data': {
    schema: {
      type: 'object',
      required: [uploadField],
      properties: { [uploadField]: { type: 'string', format: 'binary' } },
    },
  },
};
