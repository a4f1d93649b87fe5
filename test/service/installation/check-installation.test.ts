import { expect } from 'chai'
import { logFormat } from '../../../schema/commands/command-log.ts'
import {
  InstallationError,
  checkInstallation,
  checkRecordFormat,
} from '../../../service/installation/check-installation.ts'

const places = { log: 'the log in ./log', store: 'the store in ./store', folder: 'the folder ./', isEmbedded: true }
const id = 'b7d0'

describe('format of another version', () => {
  const judged = (format: number) => () =>
    checkInstallation(
      {
        log: { state: 'known', id, format, commandOffsetBase: 0, projected: null },
        store: { state: 'known', id },
        folder: id,
      },
      places,
    )

  it('A log of another format is rejected with the steps to take', () => {
    expect(judged(logFormat - 1)).to.throw(
      InstallationError,
      /The log in .\/log was written by an older version.*format/,
    )
    expect(judged(logFormat - 1)).to.throw(InstallationError, /start the older version, or start with an empty log/)
    expect(judged(logFormat + 1)).to.throw(InstallationError, /was written by a newer version/)
    expect(judged(logFormat)()).to.deep.equal({ kind: 'known', id })
  })

  it('A store of another record format is rejected for a new log', () => {
    const records = (format: number | null) => () => checkRecordFormat(format, places)
    expect(records(logFormat - 1)).to.throw(InstallationError, /The store in .\/store was written by an older version/)
    expect(records(logFormat + 1)).to.throw(InstallationError, /was written by a newer version/)
    expect(records(logFormat)).not.to.throw()
    expect(records(null)).not.to.throw()
  })
})
