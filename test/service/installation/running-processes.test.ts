import { expect } from 'chai'
import { logFormat, oldestLogFormat } from '../../../schema/commands/command-log.ts'
import type { InstallationRecord } from '../../../schema/records/installation.ts'
import { InstallationError } from '../../../service/installation/check-installation.ts'
import { rejectLaterFormat } from '../../../service/installation/running-processes.ts'

const record: InstallationRecord = {
  id: 'installation',
  installationId: '3f0c1d1e-5a0d-4a53-9d4b-6c9a4c3f7d11',
  format: logFormat,
  createdAt: '2026-03-02T06:00:00.000Z',
  adoptedAt: null,
  commandOffsetBase: 0,
  highestRefs: {},
}

describe('the format of a log that is read', () => {
  it('A log is rejected once it is continued in a later format, and no other one', () => {
    const check = (installation: InstallationRecord | null) => () =>
      rejectLaterFormat({ installation: () => installation })
    for (const format of [oldestLogFormat, logFormat]) expect(check({ ...record, format })).not.to.throw()
    expect(check(null)).not.to.throw()
    const text = `A later version has continued the log in format ${logFormat + 1}`
    expect(check({ ...record, format: logFormat + 1 })).to.throw(InstallationError, text)
  })
})
