import { assert } from 'chai'
import type { Status } from '../../schema/document.ts'
import { arrangeMachines, countStatuses, select, floorViewOf } from '../../web/screens/floor/arrange.ts'
import type { FloorMachine } from '../../web/screens/floor/floor-machine.ts'
import { isScheduled } from '../../web/screens/floor/scheduled.ts'
import { sinceMsOf, sinceText } from '../../web/screens/floor/since.ts'
import { layOut, lineOfTile, linesBetween } from '../../web/screens/floor/lay-out.ts'
import { countedKind, fitTiles, inWallOrder, pagesOf, type WallMachine } from '../../web/screens/wall/pages.ts'
import { en } from '../../web/texts/en.ts'
import { createFormat } from '../../web/texts/format.ts'
import { shopDate } from '../../web/time/shop-date.ts'

const titles = {
  statuses: {
    FAULT: 'Error',
    INACTIVE: 'Inactive',
    ACTIVE: 'Active',
    UNAVAILABLE: 'Unavailable',
    unscheduled: 'Not scheduled',
  },
  noGroup: 'None',
}

function machine(name: string, groups: readonly string[], status: Status = 'ACTIVE', operator?: string): FloorMachine {
  const machineGroups = groups.map(group => ({ id: `id of ${group}`, name: group }))
  return {
    machine: {
      id: name,
      name,
      machineRef: 1,
      make: null,
      model: null,
      machineGroups,
      erpMachineId: null,
      status: 'ACTIVE',
      faults: [],
      connection: {
        connectorId: null,
        state: null,
        since: null,
        problem: 'no_connector',
        reason: 'no connector',
        skewMs: null,
      },
      lastSample: null,
      missing: null,
      commissionedAt: null,
      decommissionedAt: null,
    },
    now: { status, sinceMs: null, message: null },
    figures: null,
    stop: null,
    isScheduled: true,
    incident: null,
    activity:
      operator === undefined ? null : { job: 'J1', part: null, isSetup: false, operators: [operator], reason: null },
  }
}

const machines = [
  machine('Lathe 1', ['Turning'], 'FAULT', 'Ada'),
  machine('Lathe 2', ['Turning', 'Hall 2']),
  machine('Saw', [], 'UNAVAILABLE'),
]
const namesOf = (shown: readonly FloorMachine[]) => shown.map(each => each.machine.name)

describe('the arrangement of the floor', () => {
  it('The floor is filtered by the words, status and group of its address', () => {
    const shown = (query: string) => namesOf(select(machines, floorViewOf(new URLSearchParams(query))))
    assert.deepEqual(shown(''), ['Lathe 1', 'Lathe 2', 'Saw'])
    assert.deepEqual(shown('q=lathe'), ['Lathe 1', 'Lathe 2'])
    assert.deepEqual(shown('q=ADA lathe'), ['Lathe 1'])
    assert.deepEqual(shown('status=UNAVAILABLE'), ['Saw'])
    assert.deepEqual(shown('group=id of Hall 2'), ['Lathe 2'])
    assert.deepEqual(shown('status=nonsense'), ['Lathe 1', 'Lathe 2', 'Saw'])
    const sizeOf = (query: string) => floorViewOf(new URLSearchParams(query)).size
    assert.deepEqual(['', 'tiles=compact', 'tiles=nonsense'].map(sizeOf), ['large', 'compact', 'large'])
  })

  it('A machine outside of its shift counts as not scheduled, whatever its status', () => {
    const nowMs = Date.parse('2026-03-10T22:10:00Z')
    const ended = { status: 'INACTIVE', sinceMs: nowMs - 3_600_000, message: null } as const
    const stop = { id: 's', sinceMs: nowMs - 600_000, reason: null }
    assert.isFalse(isScheduled({ now: ended, stop: null }, nowMs))
    assert.isTrue(isScheduled({ now: ended, stop }, nowMs))
    assert.isTrue(isScheduled({ now: { ...ended, status: 'ACTIVE' }, stop: null }, nowMs))
    assert.isTrue(isScheduled({ now: { ...ended, sinceMs: nowMs - 59_000 }, stop: null }, nowMs))
    const [lathe, second, saw] = machines
    if (!lathe || !second || !saw) throw new Error('There are three machines')
    const now = [{ ...lathe, isScheduled: false }, second, saw]
    assert.deepEqual(
      [...countStatuses(now)],
      [
        ['unscheduled', 1],
        ['ACTIVE', 1],
        ['UNAVAILABLE', 1],
      ],
    )
    const shown = (query: string) => namesOf(select(now, floorViewOf(new URLSearchParams(query))))
    assert.deepEqual(shown('status=FAULT'), [])
    assert.deepEqual(shown('status=unscheduled'), ['Lathe 1'])
    assert.deepEqual(
      arrangeMachines(now, 'status', titles).map(({ title }) => title),
      ['Active', 'Unavailable', 'Not scheduled'],
    )
  })

  it('A tile states since when a machine is stopped, with the day of an earlier one', () => {
    const format = createFormat('en-GB', 'Europe/Berlin')
    const locale = { t: en, format }
    const nowMs = Date.parse('2026-03-10T22:10:00Z')
    assert.equal(sinceText(Date.parse('2026-03-10T21:58:00Z'), nowMs, locale), 'since 22:58 · 12 min')
    assert.equal(sinceText(nowMs + 5, nowMs, locale), 'since 23:10 · < 1 min')
    assert.match(sinceText(Date.parse('2026-03-09T21:58:00Z'), nowMs, locale), /^since Mon.* 9 Mar.* 22:58$/)
    const now = { status: 'FAULT', sinceMs: 5, message: null } as const
    assert.equal(sinceMsOf({ now, stop: null }), 5)
    assert.equal(sinceMsOf({ now, stop: { id: 's', sinceMs: 7, reason: null } }), 7)
  })

  it('A machine on the floor is in each of its groups, and machines without a group are last', () => {
    const sections = arrangeMachines(machines, 'group', titles).map(section => [
      section.title,
      namesOf(section.machines),
    ])
    assert.deepEqual(sections, [
      ['Hall 2', ['Lathe 2']],
      ['Turning', ['Lathe 1', 'Lathe 2']],
      ['None', ['Saw']],
    ])
  })

  it('In the order by longest stop, machines without a scheduled stop are last, in their order', () => {
    const stopped = (name: string, sinceMs: number) => ({
      ...machine(name, [], 'INACTIVE'),
      stop: { id: name, sinceMs, reason: null },
    })
    const all = [machine('Off shift', [], 'FAULT'), stopped('Short', 900), machine('Running', []), stopped('Long', 100)]
    const [section] = arrangeMachines(all, 'stop', titles)
    assert.deepEqual(namesOf(section?.machines ?? []), ['Long', 'Short', 'Off shift', 'Running'])
  })

  it('In the order by status, machines that need attention are first', () => {
    const shown = arrangeMachines(machines, 'status', titles).map(section => section.title)
    assert.deepEqual(shown, ['Error', 'Active', 'Unavailable'])
  })
})

describe('the layout of the floor', () => {
  const many = Array.from({ length: 5000 }, (_, index) => machine(`M ${index}`, [index < 10 ? 'A' : 'B']))
  const layout = layOut(arrangeMachines(many, 'group', titles), {
    width: 1000,
    tileWidth: 240,
    tileHeight: 100,
    headHeight: 40,
    gap: 10,
  })

  it('Every tile of the floor has one place, and no tiles overlap', () => {
    assert.equal(layout.columns, 4)
    const tiles = layout.lines.flatMap(line => (line.kind === 'tiles' ? line.machines : []))
    assert.lengthOf(new Set(tiles), 5000)
    let bottom = 0
    for (const { top, height } of layout.lines) {
      assert.equal(top, bottom)
      bottom = top + height
    }
    assert.equal(layout.height, bottom)
  })

  it('Exactly the visible lines of the floor are found', () => {
    const expected = layout.lines.filter(line => line.top + line.height > 5000 && line.top < 6000)
    assert.deepEqual(linesBetween(layout, 5000, 6000), expected)
    assert.isBelow(expected.length, 12)
    assert.isEmpty(linesBetween(layout, layout.height, layout.height + 500))
  })

  it('The line of a tile on the floor is found by the index of the tile', () => {
    for (const index of [0, 9, 10, 4999]) {
      const line = lineOfTile(layout, index)
      assert.strictEqual(line?.machines[index - line.first], many[index])
    }
    assert.isNull(lineOfTile(layout, 5000))
  })
})

describe('the wall screen', () => {
  const nowMs = Date.parse('2026-03-02T12:00:00Z')
  const hd = { width: 1888, height: 954 }
  const stoppedFor = (name: string, minutes: number, status: Status = 'INACTIVE'): FloorMachine => ({
    ...machine(name, [], status),
    stop: { id: name, sinceMs: nowMs - minutes * 60_000, reason: null },
  })
  const running = (count: number) => Array.from({ length: count }, (_, index) => machine(`M ${index}`, []))
  const namesOn = (page: readonly WallMachine[]) => page.map(({ floor }) => floor.machine.name)

  it('The longest stop is first, and a machine that is not scheduled is not stopped', () => {
    const all = [
      machine('Running', []),
      machine('Off shift', [], 'FAULT'),
      stoppedFor('Short', 5),
      machine('Silent', [], 'UNAVAILABLE'),
      stoppedFor('Between parts', 0.5),
      stoppedFor('Long', 90, 'FAULT'),
    ]
    const order = inWallOrder(all, nowMs)
    assert.deepEqual(
      order.map(({ floor, kind }) => [floor.machine.name, kind]),
      [
        ['Long', 'stopped'],
        ['Short', 'stopped'],
        ['Running', 'running'],
        ['Off shift', 'idle'],
        ['Silent', 'silent'],
        ['Between parts', 'running'],
      ],
    )
  })

  it('A stopped machine whose status is not known counts as offline', () => {
    const order = inWallOrder([stoppedFor('Cut off', 90, 'UNAVAILABLE'), stoppedFor('Stopped', 5)], nowMs)
    assert.deepEqual(namesOn(order), ['Cut off', 'Stopped'])
    assert.deepEqual(order.map(countedKind), ['silent', 'stopped'])
  })

  it('One page has 60 machines on Full HD and 200 on 4K', () => {
    assert.lengthOf(pagesOf(inWallOrder(running(60), nowMs), hd), 1)
    assert.lengthOf(pagesOf(inWallOrder(running(200), nowMs), { width: 3776, height: 1908 }), 1)
    assert.isEmpty(pagesOf([], hd))
  })

  it('The pages contain every machine, and each begins with all stopped ones unless they alone fill it', () => {
    for (const stops of [0, 7, 55, 70]) {
      const all = [...running(100), ...Array.from({ length: stops }, (_, index) => stoppedFor(`S ${index}`, index + 2))]
      const pages = pagesOf(inWallOrder(all, nowMs), hd)
      assert.sameMembers([...new Set(pages.flatMap(namesOn))], [...namesOf(all)])
      for (const page of pages) {
        assert.isAtMost(page.length, 60)
        if (stops < 55)
          assert.lengthOf(
            page.filter(({ kind }) => kind === 'stopped'),
            stops,
          )
      }
    }
  })

  it('Tiles are as large as possible', () => {
    assert.equal(fitTiles(60, hd).columns, 10)
    const { columns, scale } = fitTiles(6, hd)
    assert.equal(columns, 3)
    assert.isAbove(scale, 2.5)
  })
})

describe('the shop date of the application', () => {
  it("The shop date changes at the start of day in the company's time zone", () => {
    const rule = { timeZone: 'Europe/Berlin', startOfDay: '06:00' }
    assert.equal(shopDate(Date.parse('2026-03-02T04:59:00Z'), rule), '2026-03-01')
    assert.equal(shopDate(Date.parse('2026-03-02T05:00:00Z'), rule), '2026-03-02')
    assert.equal(shopDate(Date.parse('2026-07-02T04:00:00Z'), rule), '2026-07-02')
    const early = { timeZone: 'Pacific/Kiritimati', startOfDay: '00:00' }
    assert.equal(shopDate(Date.parse('2026-03-01T10:00:00Z'), early), '2026-03-02')
  })
})
