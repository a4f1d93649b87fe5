import { assert } from 'chai'
import { fatalMessage } from '../../../service/installation/fatal-message.ts'
import { InstallationError } from '../../../service/installation/check-installation.ts'

describe('message of a fatal error', () => {
  it('The log of a later version is not named as a failure of ingest', () => {
    assert.equal(fatalMessage(new InstallationError('format 9')), 'Stopped: this version cannot continue the log')
    assert.equal(fatalMessage(new Error('TooManyRefused')), 'Stopped ingest to avoid data loss')
  })
})
