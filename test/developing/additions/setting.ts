import { type Addition, insert, replace } from '../../support/addition.ts'

/** A setting that names the installation in the greeting of the start. */
export const setting: Addition = {
  section: 'Add a setting of the service',
  names: { subject: 'process-settings', module: 'greeting' },
  changes: [
    insert(
      'service/settings/process-settings.ts',
      'TAKT_DATA_DIR:',
      "  TAKT_NAME: setting('Name of the installation in the greeting of the start.').text(''),",
    ),
    replace('service/greeting.ts', '  Takt ${version}', '  ${config.TAKT_NAME || `Takt`} ${version}'),
    replace(
      'service/greeting.ts',
      'const { version, generatedKey } = facts',
      'const { config, version, generatedKey } = facts',
    ),
    insert(
      'docs/configuration.md',
      '| `TAKT_DATA_DIR` ',
      '| `TAKT_NAME` | | Name of the installation in the greeting of the start. |',
    ),
    replace(
      'test/service/greeting.test.ts',
      "describe('",
      `describe('name of the installation', () => {
  it('The greeting shows TAKT_NAME', () => {
    assert.include(greet({ TAKT_NAME: 'Mill' }), '  Mill 1.2.3')
    assert.include(greet({}), '  Takt 1.2.3')
  })
})

describe('`,
    ),
  ],
  unneeded: { 'service/config.ts': 'It depends on no other setting.' },
}
