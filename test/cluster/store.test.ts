import { storeSuite } from '../contract/store/store-suite.js';
import { openPostgresLab } from './postgres-lab.js';
import { server } from './servers.js';

storeSuite('postgres', () => openPostgresLab(server));
