import type { ScheduleResponse } from '../../../../schema/records/schedule.ts'
import { useViewer } from '../../../data/viewer.ts'
import { RecordList } from '../../../records/record-list.tsx'
import { useLocale } from '../../../texts/locale.ts'
import { byName } from './plant.ts'
import { ScheduleEditor } from './schedule-editor.tsx'
import { Week } from './week.tsx'

/** When machines are to work: each schedule drawn on a week. */
function Schedules() {
  const { t } = useLocale()
  return (
    <RecordList<ScheduleResponse, readonly ScheduleResponse[], never>
      kind={{
        ...t.settings.schedules,
        title: t.settings.parts.schedules,
        load: client => client.call('GET /schedules'),
        items: data => byName(data),
        nameOf: ({ name }) => name,
        columns: () => [],
        card: schedule => <Latest schedule={schedule} />,
        onRemove: (client, { id }) => client.call('DELETE /schedules/:id', { params: { id } }),
        form: props => <ScheduleEditor {...props} />,
      }}
    />
  )
}

function Latest({ schedule: { name, versions, exceptions } }: { readonly schedule: ScheduleResponse }) {
  const { t, format } = useLocale()
  const own = t.settings.schedules
  const { firstDayOfWeek } = useViewer()
  const latest = versions.at(-1)
  return (
    <>
      <p class="hint">
        {latest?.effectiveFrom ? own.since(format.date(latest.effectiveFrom)) : own.always}
        {' · '}
        {own.summary(format.count(versions.length), format.count(exceptions.length))}
      </p>
      <Week shifts={latest?.shifts ?? []} firstDay={firstDayOfWeek} label={own.weekOf(name)} />
    </>
  )
}

export { Schedules as screen }
