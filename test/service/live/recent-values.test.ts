import { expect } from 'chai'
import pino from 'pino'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LiveValue } from '../../../api/live/values/latest-values.ts'
import { asCompanyRef, asMachineRef, type MachineRef } from '../../../schema/refs.ts'
import { RecentValues } from '../../../service/live/recent-values.ts'

const company = asCompanyRef(1)

function valueOf(machine: number, key: string): LiveValue {
  return { machineRef: asMachineRef(machine), atUs: 1, key, type: 'EXECUTION', subtype: '', value: 'ACTIVE' }
}

describe('RecentValues', () => {
  const ends: (() => void)[] = []
  afterEach(() => {
    for (const end of ends.splice(0)) end()
  })

  function make({ isWatched = true } = {}) {
    const stored: (readonly MachineRef[] | null)[] = []
    let isStored = false
    const recent = new RecentValues({
      waitUntilStored: async () => isStored,
      companyOf: () => company,
      onStored: machines => stored.push([...machines]),
      onMissedStored: machines => stored.push(machines && [...machines]),
      isWatched: () => isWatched,
      logger: pino({ level: 'silent' }),
    })
    ends.push(() => recent.stop())
    return { recent, stored, store: () => (isStored = true), unstore: () => (isStored = false) }
  }

  it('Recent values are cached while subscriptions are open, also without reads', () => {
    const { recent } = make()
    recent.add(1, valueOf(1, 'a'))
    expect(recent.of(company, null, null)).to.deep.equal([valueOf(1, 'a')])
  })

  it('The first reader, which may have missed earlier values, is notified when they are stored', async () => {
    const { recent, stored, store } = make({ isWatched: false })
    recent.add(1, valueOf(1, 'a'))
    expect(recent.of(company, null, null)).to.deep.equal([])
    store()
    for (let times = 0; times < 3_000 && stored.length === 0; times++) await sleep(20)
    expect(stored).to.deep.equal([null])
  })

  it('Readers are notified of machines once the store has their values, including values beyond the limit', async () => {
    const { recent, stored, store, unstore } = make()
    recent.of(company, null, null)
    store()
    for (let times = 0; times < 3_000 && stored.length === 0; times++) await sleep(20)
    expect(stored.splice(0)).to.deep.equal([null])
    unstore()
    for (let cell = 0; cell < 20_001; cell++) recent.add(cell, valueOf(cell === 0 ? 7 : 8, `k${cell}`))
    recent.addMissed(asMachineRef(9))
    expect(recent.of(company, new Set([asMachineRef(7)]), null)).to.deep.equal([])
    store()
    for (let times = 0; times < 3_000 && stored.flat().length < 3; times++) await sleep(20)
    expect(stored.flat()).to.have.members([7, 8, 9])
    expect(recent.of(company, null, null)).to.deep.equal([])
  })
})
