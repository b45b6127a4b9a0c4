import type { Commands } from '../context.js';
import { defineAdmin } from './admin/define.js';
import { defineBounces } from './bounces/define.js';
import { defineBulk } from './bulk/define.js';
import { defineComplete, defineCompletion } from './completion/define.js';
import { defineConfig } from './config/define.js';
import { defineDiff } from './diff/define.js';
import { defineDoctor } from './doctor/define.js';
import { defineExplain } from './explain/define.js';
import { defineForget } from './forget/define.js';
import { defineJobs } from './jobs/define.js';
import { defineKeys } from './keys/define.js';
import { defineLists } from './lists/define.js';
import { defineLogin, defineLogout } from './login/define.js';
import { defineMcp } from './mcp/define.js';
import { defineReport } from './report/define.js';
import { defineServe } from './serve/define.js';
import { defineStore } from './store/define.js';
import { defineUpload } from './upload/define.js';
import { defineValidate } from './validate/define.js';
import { defineWorker } from './worker/define.js';

/** Every command, in the order of help. */
export const commands: Commands = {
  validate: defineValidate,
  bulk: defineBulk,
  upload: defineUpload,
  jobs: defineJobs,
  diff: defineDiff,
  report: defineReport,
  bounces: defineBounces,
  login: defineLogin,
  logout: defineLogout,
  config: defineConfig,
  doctor: defineDoctor,
  explain: defineExplain,
  forget: defineForget,
  lists: defineLists,
  serve: defineServe,
  mcp: defineMcp,
  keys: defineKeys,
  admin: defineAdmin,
  store: defineStore,
  worker: defineWorker,
  completion: defineCompletion,
  complete: defineComplete,
};
