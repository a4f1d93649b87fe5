import { expect } from 'chai'
import { createAlarmIdStore } from '../../../clickhouse/documents/alarm-ids.ts'
import { sql, uint32 } from '../../../clickhouse/sql/sql.ts'
import {
  createAssignAlarmIds,
  assignAlarmIds,
  type UnidentifiedAlarm,
} from '../../../processors/alarms/assign-alarm-ids.ts'
import type { AlarmIdStore } from '../../../schema/alarm-instance.ts'
import type { Effect } from '../../../processors/registrar/options.ts'
import type { Command } from '../../../schema/commands/command-log.ts'
import { useFreshDatabase } from '../../support/database.ts'
import { asMachineRef } from '../../../schema/refs.ts'

let companyRef = 0

describe('assignAlarmIds', () => {
  const store = useFreshDatabase()
  const ids = () => createAlarmIdStore(store())

  beforeEach(() => {
    companyRef += 10
  })

  /**
   * Returns [id, machine, key, code, level, start] of the company's instances, ordered by id; asserts that both tables
   * agree.
   */
  async function given(of = companyRef): Promise<readonly unknown[][]> {
    const columns = sql`id, machine, key, code, level, toUInt32(start_ms) FROM`
    const where = sql`FINAL WHERE company = ${uint32(of)} ORDER BY id`
    const byStart = await store().columns(sql`SELECT ${columns} alarm_ids ${where}`)
    const byId = await store().columns(sql`SELECT ${columns} alarm_ids_by_id ${where}`)
    expect(byStart).to.deep.equal(byId)
    return (byStart[0] ?? []).map((_, row) => byStart.map(column => column[row]))
  }

  async function codes(of = companyRef): Promise<readonly (readonly unknown[])[]> {
    const [id = [], code = [], message = [], level = []] = await store().columns(
      sql`SELECT id, code, message, level FROM native_codes FINAL WHERE company = ${uint32(of)} ORDER BY id`,
    )
    return id.map((each, i) => [each, code[i], message[i], level[i]])
  }

  it('Alarm ids rise by start, machine id, key and code across commands that are processed together', async () => {
    await createAssignAlarmIds(ids())([
      command([
        alarm({ startMs: 20, machineRef: asMachineRef(1), machineId: 'b' }),
        alarm({ startMs: 10, nativeCode: '2' }),
      ]),
      command([
        alarm({ startMs: 20, machineRef: asMachineRef(2), machineId: 'a', key: 'Z' }),
        alarm({ startMs: 10, nativeCode: '1' }),
        alarm({ startMs: 20, machineRef: asMachineRef(2), machineId: 'a', key: 'A', level: 'WARNING' }),
      ]),
    ])
    expect(await given()).to.deep.equal([
      [1, 1, 'SYS', '1', 2, 10],
      [2, 1, 'SYS', '2', 2, 10],
      [3, 2, 'A', '1', 1, 20],
      [4, 2, 'Z', '1', 2, 20],
      [5, 1, 'SYS', '1', 2, 20],
    ])
  })

  it('A repeated instance keeps its id, and a late instance gets the next id', async () => {
    await createAssignAlarmIds(ids())([command([alarm({ startMs: 10 }), alarm({ startMs: 30 })])])
    const next = createAssignAlarmIds(ids())
    await next([command([alarm({ startMs: 30 }), alarm({ startMs: 20 })]), command([alarm({ startMs: 20 })])])
    await next([command([alarm({ startMs: 10 }), alarm({ startMs: 5 })])])
    expect((await given()).map(([id, , , , , start]) => [id, start])).to.deep.equal([
      [1, 10],
      [2, 30],
      [3, 20],
      [4, 5],
    ])
  })

  it('Each company has its own sequence of alarm ids', async () => {
    const assign = createAssignAlarmIds(ids())
    await assign([
      command([alarm({ startMs: 10 })]),
      command([alarm({ startMs: 9, machineRef: asMachineRef(7) })], companyRef + 1),
    ])
    await assign([command([alarm({ startMs: 8, machineRef: asMachineRef(7) })], companyRef + 1)])
    expect((await given()).map(([id]) => id)).to.deep.equal([1])
    expect((await given(companyRef + 1)).map(([id, , , , , start]) => [id, start])).to.deep.equal([
      [1, 9],
      [2, 8],
    ])
  })

  it('Native codes with equal code, message and level share an id', async () => {
    const assign = createAssignAlarmIds(ids())
    const hot = { nativeCode: "E'1", message: 'hot\n"' }
    await assign([command([alarm({ startMs: 1, ...hot }), alarm({ startMs: 2, ...hot }), alarm({ startMs: 3 })])])
    await assign([command([alarm({ startMs: 4, ...hot, level: 'WARNING' }), alarm({ startMs: 5, ...hot })])])
    // The message of a known instance changes.
    await assign([command([alarm({ startMs: 3, message: 'cold' })])])
    expect(await codes()).to.deep.equal([
      [1, "E'1", 'hot\n"', 2],
      [2, '1', '', 2],
      [3, "E'1", 'hot\n"', 1],
      [4, '1', 'cold', 2],
    ])
    expect(await given()).to.have.length(5)
  })

  for (const [what, when] of [
    ['nothing', 0],
    ['one of the inserts', 1],
    ['all', 3],
  ] as const)
    it(`Each instance has one id after the store wrote ${what} and failed`, async () => {
      const assign = createAssignAlarmIds(failingOnce(ids(), when))
      const commands = [command([alarm({ startMs: 10 }), alarm({ startMs: 20, nativeCode: '2' })])]
      await rejects(assign, commands)
      await assign(commands)
      await assign([command([alarm({ startMs: 15, nativeCode: '3' })])])
      expect((await given()).map(([id, , , , , start]) => [id, start])).to.deep.equal([
        [1, 10],
        [2, 20],
        [3, 15],
      ])
      expect((await codes()).map(([id]) => id)).to.deep.equal([1, 2, 3])
    })

  it('Each instance has one id after a registrar crashed between inserts and another took over', async () => {
    for (const when of [1, 3]) {
      companyRef++
      const commands = [command([alarm({ startMs: 10 }), alarm({ startMs: 20, nativeCode: '2' })])]
      await rejects(createAssignAlarmIds(failingOnce(ids(), when)), commands)
      const next = createAssignAlarmIds(ids())
      await next([...commands, command([alarm({ startMs: 5, nativeCode: '3' })])])
      const rows = await given()
      expect(new Set(rows.map(([id]) => id)).size).to.equal(3)
      expect(new Set(rows.map(([, , , , , start]) => start)).size).to.equal(3)
    }
  })

  it('A command with an invalid payload is skipped', async () => {
    const bad = { ...command([]), payload: { companyRef: 1, instances: [{ machine: 'x' }] } }
    await createAssignAlarmIds(ids())([bad, command([alarm({ startMs: 1 })])])
    expect(await given()).to.have.length(1)
  })
})

function alarm(of: Partial<UnidentifiedAlarm> & Pick<UnidentifiedAlarm, 'startMs'>): UnidentifiedAlarm {
  return {
    machineRef: asMachineRef(1),
    machineId: 'm',
    key: 'SYS',
    nativeCode: '1',
    message: '',
    level: 'FAULT',
    ...of,
  }
}

function command(instances: readonly UnidentifiedAlarm[], of = companyRef): Command {
  const payload = { companyRef: of, instances }
  return {
    id: 'x',
    deadlineMs: 0,
    nowMs: 0,
    freshIds: [],
    companyId: 'c',
    actor: 'test',
    name: assignAlarmIds,
    payload,
  }
}

/** Returns a store whose first write fails after the given number of its three inserts. */
function failingOnce(store: AlarmIdStore, inserts: number): AlarmIdStore {
  let failures = 0
  return {
    ...store,
    async write(companyRef, instances, codes) {
      if (failures++ > 0) return store.write(companyRef, instances, codes)
      if (inserts > 0) await store.write(companyRef, instances, inserts > 1 ? codes : [])
      throw new Error('the store is unavailable')
    },
  }
}

async function rejects(assign: Effect, commands: readonly Command[]): Promise<void> {
  const error: unknown = await assign(commands).catch((thrown: unknown) => thrown)
  expect(error).to.be.instanceOf(Error)
}
