import { useState } from 'preact/hooks'
import type { ScheduleAnswer } from '../../../../schema/records/schedule.ts'
import { newId } from '../../../data/new-id.ts'
import { useLoad } from '../../../data/use-load.ts'
import { useViewer } from '../../../data/viewer-context.ts'
import { useLocale } from '../../../texts/locale.ts'
import { Icon } from '../../../ui/icon.tsx'
import { Empty, Failure, Loading } from '../../../ui/notice.tsx'
import { RemoveDialog } from '../../../ui/remove-dialog.tsx'
import { useSettingsTexts } from '../settings-texts.ts'
import { byName } from './plant.ts'
import { ScheduleEditor } from './schedule-editor.tsx'
import { Week } from './week.tsx'

type Open = { readonly kind: 'edit' | 'remove'; readonly schedule: ScheduleAnswer }

/** When machines are to work: each schedule drawn on a week. */
function Schedules() {
  const { t, format } = useLocale()
  const words = useSettingsTexts()
  const own = words.schedules
  const { client, firstDayOfWeek } = useViewer()
  const { value, error, reload } = useLoad(() => client.call('GET /schedules'), [client])
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const add = () =>
    setOpen({
      kind: 'edit',
      schedule: { id: newId(), name: '', versions: [{ effectiveFrom: null, shifts: [] }], exceptions: [] },
    })
  return (
    <>
      <div class="page-head">
        <h2>{own.title}</h2>
        <button type="button" class="button primary" onClick={add}>
          <Icon name="plus" size={16} />
          {own.add}
        </button>
      </div>
      <p class="lead">{own.intro}</p>
      {error !== null && <Failure error={error} onRetry={reload} />}
      {value === null ? (
        error === null && <Loading />
      ) : value.length === 0 ? (
        <Empty text={own.empty} />
      ) : (
        byName(value).map(schedule => {
          const latest = schedule.versions.at(-1)
          return (
            <article key={schedule.id} class="card">
              <div class="page-head">
                <h3>{schedule.name}</h3>
                <div class="head-buttons">
                  <button
                    type="button"
                    class="button quiet"
                    aria-label={words.editOf(schedule.name)}
                    onClick={() => setOpen({ kind: 'edit', schedule })}
                  >
                    {t.keys.edit}
                  </button>
                  <button
                    type="button"
                    class="button quiet danger"
                    aria-label={words.removeOf(words.remove, schedule.name)}
                    onClick={() => setOpen({ kind: 'remove', schedule })}
                  >
                    {words.remove}
                  </button>
                </div>
              </div>
              <p class="hint">
                {latest?.effectiveFrom ? own.since(format.date(latest.effectiveFrom)) : own.always}
                {' · '}
                {own.summary(format.count(schedule.versions.length), format.count(schedule.exceptions.length))}
              </p>
              <Week shifts={latest?.shifts ?? []} firstDay={firstDayOfWeek} label={own.weekOf(schedule.name)} />
            </article>
          )
        })
      )}
      {open?.kind === 'edit' && (
        <ScheduleEditor
          schedule={open.schedule}
          onClose={close}
          onSaved={() => {
            close()
            reload()
          }}
        />
      )}
      {open?.kind === 'remove' && (
        <RemoveDialog
          title={words.removeTitle(words.remove, open.schedule.name)}
          text={own.removeText}
          submit={words.remove}
          onClose={close}
          onRemove={async () => {
            await client.call('DELETE /schedules/:id', { params: { id: open.schedule.id } })
            close()
            reload()
          }}
        />
      )}
    </>
  )
}

export { Schedules as part }
