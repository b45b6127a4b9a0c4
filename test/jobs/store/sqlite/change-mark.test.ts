import { expect, test } from 'vitest';
import { changeMark } from '../../../../src/jobs/store/sqlite/change-mark.js';
import { drivers, openLab } from '../../../fakes/job-lab.js';

test.each(drivers)(
  'the mark of a store stays while it is read, and changes when it is written (%s)',
  async (driver) => {
    const lab = await openLab(driver);
    const path = lab.files.storePath;
    const later = Date.now() + 60_000;
    // The first look may still tidy up after the writes that made the store.
    await lab.store.listKeys();
    const before = changeMark(path, later);
    expect(before).not.toBeNull();
    await lab.store.listKeys();
    expect(changeMark(path, later)).toBe(before);
    await lab.submit('id,email\n1,a@b.example\n');
    expect(changeMark(path, later)).not.toBe(before);
    expect(lab.store.changeMark()).toBeNull();
    await lab.close();
  },
);
