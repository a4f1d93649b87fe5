import { useState } from 'preact/hooks'
import type { ScheduleResponse } from '../../../../schema/records/schedule.ts'
import { newId } from '../../../data/new-id.ts'
import { useLoad } from '../../../data/use-load.ts'
import { useViewer } from '../../../data/viewer.ts'
import { useLocale } from '../../../texts/locale.ts'
import { Button } from '../../../ui/button.tsx'
import { Await, Empty } from '../../../ui/notice.tsx'
import { RemoveDialog } from '../../../ui/dialog.tsx'
import { useSettingsTexts } from '../settings-texts.tsx'
import { byName } from './plant.ts'
import { ScheduleEditor } from './schedule-editor.tsx'
import { Week } from './week.tsx'

type Open = { readonly kind: 'edit' | 'remove'; readonly schedule: ScheduleResponse }

/** When machines are to work: each schedule drawn on a week. */
function Schedules() {
  const { t } = useLocale()
  const words = useSettingsTexts()
  const own = words.schedules
  const { client } = useViewer()
  const loaded = useLoad(() => client.call('GET /schedules'), [client])
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const done = () => {
    close()
    loaded.reload()
  }
  const add = () =>
    setOpen({
      kind: 'edit',
      schedule: { id: newId(), name: '', versions: [{ effectiveFrom: null, shifts: [] }], exceptions: [] },
    })
  return (
    <>
      <div class="page-head">
        <h2>{words.parts.schedules}</h2>
        <Button look="primary" icon="plus" text={own.add} onClick={add} />
      </div>
      <p class="lead">{own.intro}</p>
      <Await loaded={loaded}>
        {schedules =>
          schedules.length === 0 ? (
            <Empty text={own.empty} />
          ) : (
            <>
              {byName(schedules).map(schedule => (
                <ScheduleCard key={schedule.id} schedule={schedule} onOpen={setOpen} />
              ))}
            </>
          )
        }
      </Await>
      {open?.kind === 'edit' && <ScheduleEditor schedule={open.schedule} onClose={close} onSaved={done} />}
      {open?.kind === 'remove' && (
        <RemoveDialog
          title={t.records.removeTitle(t.records.remove, open.schedule.name)}
          text={own.removeText}
          submit={t.records.remove}
          onClose={close}
          onRemove={async () => {
            await client.call('DELETE /schedules/:id', { params: { id: open.schedule.id } })
            done()
          }}
        />
      )}
    </>
  )
}

interface CardProps {
  readonly schedule: ScheduleResponse
  readonly onOpen: (open: Open) => void
}

function ScheduleCard({ schedule, onOpen }: CardProps) {
  const { t, format } = useLocale()
  const own = useSettingsTexts().schedules
  const { firstDayOfWeek } = useViewer()
  const { name, versions, exceptions } = schedule
  const latest = versions.at(-1)
  return (
    <article class="card">
      <div class="page-head">
        <h3>{name}</h3>
        <div class="head-buttons">
          <Button
            look="quiet"
            text={t.keys.edit}
            aria-label={t.records.editOf(name)}
            onClick={() => onOpen({ kind: 'edit', schedule })}
          />
          <Button
            look="quiet danger"
            text={t.records.remove}
            aria-label={t.records.removeOf(t.records.remove, name)}
            onClick={() => onOpen({ kind: 'remove', schedule })}
          />
        </div>
      </div>
      <p class="hint">
        {latest?.effectiveFrom ? own.since(format.date(latest.effectiveFrom)) : own.always}
        {' · '}
        {own.summary(format.count(versions.length), format.count(exceptions.length))}
      </p>
      <Week shifts={latest?.shifts ?? []} firstDay={firstDayOfWeek} label={own.weekOf(name)} />
    </article>
  )
}

export { Schedules as screen }
