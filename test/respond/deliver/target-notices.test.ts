import { expect } from 'chai'
import { type NoticeInputs, targetNotices } from '../../../respond/deliver/target-notices.ts'
import type { IncidentNotice, IncidentRecord } from '../../../schema/records/incident.ts'
import { minuteMs } from '../../../shared/time/units.ts'
import { exampleIncident } from '../../support/alerting/example-incident.ts'

const at = (minute: number) => new Date(minute * minuteMs).toISOString()

function notice(minute: number, changes: Partial<IncidentNotice> = {}): IncidentNotice {
  const opened = { event: 'incident.opened', step: 1, repeat: 0, targetId: 't' } as const
  return { ...opened, at: at(minute), deliveryId: null, isSummarized: false, ...changes }
}
const resolved = (minute: number) => notice(minute, { event: 'incident.resolved', step: 0 })
const sent = { deliveryId: '00000000-0000-4000-8000-000000000009' }

/** A pause of everything from minute 10 to minute 20. */
const everything = { machineIds: [], machineGroupIds: [], connectorIds: [], ruleIds: [] }
const pause = { id: 'p', companyId: 'company', subject: everything, startAt: at(10), endAt: at(20), note: '' }
const steps = [
  { afterMs: 0, until: 'acknowledged', targets: ['t'], repeatMs: minuteMs },
  { afterMs: 0, until: 'resolved', targets: ['t'], repeatMs: null },
] as const

/** Returns the waiting notices at a minute, as event, step, repeat and the minute from which they are sent. */
function run(
  minute: number,
  notices: readonly IncidentNotice[],
  changes: Partial<IncidentRecord> = {},
  more: Partial<NoticeInputs> = {},
) {
  const inputs = { targetId: 't', steps, pauses: [pause], machineGroupIds: [], ownedSinceMs: 0, ...more }
  const { waiting, dropped } = targetNotices(exampleIncident({ notices, ...changes }), {
    ...inputs,
    nowMs: minute * minuteMs,
  })
  return {
    waiting: waiting.map(({ event, step, repeat, readyMs }) => [event, step, repeat, readyMs / minuteMs]),
    dropped: dropped.map(({ event, step, repeat }) => [event, step, repeat]),
  }
}

describe('waiting notices of a target', () => {
  it('Only notices of the target without a delivery wait, from the instant at which this process owns the target', () => {
    const others = [notice(1, sent), notice(2, { targetId: 'u' })]
    const found = run(5, [...others, notice(3, { step: 2 })], {}, { ownedSinceMs: 4 * minuteMs })
    expect(found).to.deep.equal({ waiting: [['incident.opened', 2, 0, 4]], dropped: [] })
  })

  it('In a pause notices wait for its end; of several repeats only the last one waits', () => {
    const notices = [notice(12), notice(13, { repeat: 1 }), notice(14, { repeat: 2 })]
    for (const minute of [19, 20])
      expect(run(minute, notices)).to.deep.equal({
        waiting: [['incident.opened', 1, 2, 20]],
        dropped: [
          ['incident.opened', 1, 0],
          ['incident.opened', 1, 1],
        ],
      })
  })

  it('After a pause a step is dropped if its incident is resolved, or acknowledged and the step until then', () => {
    const notices = [notice(12), notice(13, { step: 2 })]
    const acknowledged = run(20, notices, { state: 'acknowledged' })
    expect(acknowledged).to.deep.equal({
      waiting: [['incident.opened', 2, 0, 20]],
      dropped: [['incident.opened', 1, 0]],
    })
    const ended = run(20, [...notices, resolved(14)], { state: 'resolved' })
    expect(ended.waiting).to.deep.equal([])
    expect(ended.dropped).to.have.length(3)
  })

  it('Events go to a target with a step that was sent or waits, not to one with summaries only', () => {
    const event = ['incident.resolved', 0, 0, 15]
    expect(run(20, [notice(1, sent), resolved(15)], { state: 'resolved' }, { pauses: [] }).waiting).to.deep.equal([
      event,
    ])
    expect(run(20, [notice(1), resolved(15)], { state: 'resolved' }, { pauses: [] }).waiting).to.have.length(2)
    const summarized = notice(1, { ...sent, isSummarized: true })
    expect(run(20, [summarized, resolved(15)], { state: 'resolved' }, { pauses: [] })).to.deep.equal({
      waiting: [],
      dropped: [['incident.resolved', 0, 0]],
    })
  })
})
