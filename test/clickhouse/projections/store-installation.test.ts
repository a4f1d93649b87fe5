import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import {
  prepareStoreInstallation,
  readStoreInstallation,
  writeStoreInstallation,
} from '../../../clickhouse/projections/installation.ts'
import { useFreshDatabase } from '../../support/database.ts'

describe('installation of a store', () => {
  const store = useFreshDatabase()

  it('A store is empty, then unfinished while it has no id, also without any row, then known', async () => {
    expect(await readStoreInstallation(store())).to.deep.equal({ state: 'empty' })
    await prepareStoreInstallation(store())
    expect(await readStoreInstallation(store())).to.deep.equal({ state: 'unfinished' })
    const id = randomUUID()
    await writeStoreInstallation(store(), id)
    expect(await readStoreInstallation(store())).to.deep.equal({ state: 'known', id })
  })
})
