import { expect } from 'chai'
import { companyOfChange } from '../../../clickhouse/projections/company-of-change.ts'
import { logFormat } from '../../../schema/commands/command-log.ts'
import type { InstallationRecord } from '../../../schema/records/installation.ts'

describe('company of a change', () => {
  it("The record of the installation belongs to no company, also in a change by a company's command", () => {
    const before: InstallationRecord = {
      id: 'installation',
      installationId: '3f0c1d1e-5a0d-4a53-9d4b-6c9a4c3f7d11',
      format: logFormat,
      createdAt: '2026-03-02T06:00:00.000Z',
      adoptedAt: null,
      commandOffsetBase: 0,
      highestRefs: {},
    }
    const change = { kind: 'installation', id: before.id, before, after: { ...before, format: logFormat + 1 } } as const
    for (const company of [null, 'company']) expect(companyOfChange(change, company)).to.equal('')
  })
})
