import type { MachineTimeline, TimelineInterval } from '../../../schema/requests/machine-timeline.ts'
import type { Texts } from '../../texts/en.ts'
import type { Colors } from '../../ui/use-colors.ts'
import type { Mark } from './marks.ts'

export const laneNames = ['states', 'downtime', 'alarms', 'jobs', 'operators', 'shifts'] as const
export type LaneName = (typeof laneNames)[number]

export type Lanes = Readonly<Record<LaneName, readonly Mark[]>>

/** Marks of each lane of a timeline, in the colours of the theme. */
export function lanesOf(timeline: MachineTimeline, t: Texts, colors: Colors, nowMs: number): Lanes {
  const { entities } = timeline
  const marks = (pieces: readonly TimelineInterval[], of: (id: string) => Pick<Mark, 'title' | 'fill' | 'isTinted'>) =>
    pieces.map(({ id, startAt, endAt, durationMs }): Mark => {
      const [startMs, endMs] = [Date.parse(startAt), Date.parse(endAt)]
      const { title, fill, isTinted } = of(id)
      return { startMs, endMs, kind: title, share: durationMs / (endMs - startMs), title, fill, isTinted }
    })
  const tinted = (title: string) => ({ title, fill: colors.sunken, isTinted: true })
  const states: Readonly<Record<string, string>> = {
    ACTIVE: colors.active,
    INACTIVE: colors.inactive,
    FAULT: colors.fault,
    UNAVAILABLE: colors.unavailable,
  }
  const stateTexts: Readonly<Record<string, string>> = t.status
  return {
    states: marks(timeline.states, id => ({
      title: stateTexts[id] ?? id,
      fill: states[id] ?? colors.edge,
      isTinted: false,
    })),
    downtime: marks(timeline.downtime, id => {
      const reason = entities.reason[id]
      if (id === 'uncategorized') return { title: t.reports.absent.uncategorized, fill: colors.edge, isTinted: false }
      if (id === 'setup') return { title: t.reports.absent.setup, fill: colors.unavailable, isTinted: false }
      return { title: reason?.name ?? id, fill: reason?.color ?? colors.edge, isTinted: false }
    }),
    alarms: timeline.alarms.map(({ state, startAt, endAt, count, nativeCode, message }) => ({
      startMs: Date.parse(startAt),
      endMs: endAt === null ? nowMs : Date.parse(endAt),
      kind: t.alarms.states[state === 'FAULT' ? 'FAULT' : 'WARNING'],
      share: 1,
      title: count > 1 ? t.machine.several(String(count)) : [nativeCode, message].filter(Boolean).join(' '),
      fill: state === 'FAULT' ? colors.fault : colors.inactive,
      isTinted: false,
    })),
    jobs: marks(timeline.jobs, id => {
      const job = entities.job[id]
      const name = [job?.jobName, job?.partName, job?.isSetup ? t.machine.setup : ''].filter(Boolean).join(' · ')
      return tinted(name === '' ? id : name)
    }),
    operators: marks(timeline.operators, id => tinted(entities.operator[id]?.name ?? id)),
    shifts: marks(timeline.shifts, id => tinted(entities.shift[id]?.name ?? id)),
  }
}
