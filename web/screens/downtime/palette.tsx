import { useId, useState } from 'preact/hooks'
import type { DowntimeReasonResponse } from '../../../schema/records/downtime-reason.ts'
import { useViewer } from '../../data/viewer.ts'
import { GroupedReasons, GroupNames } from '../../records/grouped-reasons.tsx'
import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Failure } from '../../ui/notice.tsx'
import { useForm } from '../../ui/use-form.ts'
import { maxChanged } from './downtime-data.ts'
import { ReasonMark } from './stop-list.tsx'

interface PaletteProps {
  /** Reasons that can be assigned to the stops that are meant. */
  readonly reasons: readonly DowntimeReasonResponse[]
  /** Reasons of all machines. */
  readonly allReasons: readonly DowntimeReasonResponse[]
  /** Number of the stops that are meant; one change is of the first `maxChanged`. */
  readonly count: number
  readonly isBusy: boolean
  readonly onReason: (reasonId: number | null) => void
  readonly onNewReason: () => void
}

/** The reasons by group as buttons, each with the key that assigns it. */
export function Palette({ reasons, allReasons, count, isBusy, onReason, onNewReason }: PaletteProps) {
  const { t, format } = useLocale()
  const words = t.downtime
  const isIdle = count > 0 && !isBusy
  const keys = new Map(reasons.slice(0, 9).map(({ id }, index) => [id, index + 1]))
  // A disabled button would lose the focus.
  const assign = (reasonId: number | null) => ({
    'aria-disabled': !isIdle,
    onClick: () => isIdle && onReason(reasonId),
  })
  return (
    <div class="stack palette">
      <h3>{count > 1 ? words.giveTo(format.count(Math.min(count, maxChanged))) : words.give}</h3>
      {count > maxChanged && <p class="hint">{words.mostChanged(format.count(maxChanged))}</p>}
      {count === 0 && <p class="hint">{words.noneChosen}</p>}
      {reasons.length === 0 && (
        <p class="hint">{allReasons.length > 0 ? words.noneApplies : `${words.noReasons} ${words.noReasonsHow}`}</p>
      )}
      <div class="reason-groups">
        <GroupedReasons reasons={reasons} look="reason-keys">
          {reason => (
            <button type="button" class="button reason-key" {...assign(reason.id)}>
              <ReasonMark color={reason.color} />
              <span class="reason-name">{reason.name}</span>
              {keys.has(reason.id) && <kbd aria-hidden="true">{keys.get(reason.id)}</kbd>}
            </button>
          )}
        </GroupedReasons>
        <ul class="reason-keys">
          <li>
            <button type="button" class="button reason-key" {...assign(null)}>
              <ReasonMark color={null} />
              <span class="reason-name">{words.removeReason}</span>
              <kbd aria-hidden="true">0</kbd>
            </button>
          </li>
        </ul>
      </div>
      <NewReason reasons={allReasons} onDone={onNewReason} />
    </div>
  )
}

/** Colors for new reasons, distinguishable in both themes. */
const colors = ['#2f7ed8', '#c2571a', '#7b52ab', '#2a9d74', '#b8860b', '#c0397b', '#5d7285', '#8a6d3b', '#3b8ea5']

function someColor(): string {
  return colors[Math.floor(Math.random() * colors.length)] ?? '#5d7285'
}

interface NewReasonProps {
  /** Reasons of all machines. */
  readonly reasons: readonly DowntimeReasonResponse[]
  readonly onDone: () => void
}

/** The form of a further reason; open if there is none. */
function NewReason({ reasons, onDone }: NewReasonProps) {
  const { t } = useLocale()
  const { client } = useViewer()
  const words = t.downtime
  const [isPlanned, setPlanned] = useState(false)
  const [color, setColor] = useState(someColor)
  const groupsId = useId()
  const form = useForm({ name: '', group: '' }, async ({ name, group }) => {
    const groupName = group.trim() === '' ? null : group
    await client.call('POST /downtime-reasons', { body: { name, group: groupName, color, planned: isPlanned } })
    form.reset()
    setColor(someColor)
    onDone()
  })
  const name = form.field('name')
  return (
    <details class="inline" open={reasons.length === 0}>
      <summary>{words.newReason}</summary>
      <form class="stack" onSubmit={form.onSubmit}>
        <Field label={t.terms.reason} {...name} />
        <Field label={t.settings.reasons.group} {...form.field('group')} required={false} list={groupsId} />
        <GroupNames id={groupsId} reasons={reasons} />
        <label class="option">
          <input type="checkbox" checked={isPlanned} onChange={() => setPlanned(!isPlanned)} />
          <span>{t.settings.reasons.planned}</span>
        </label>
        <Failure error={form.error} />
        <Button text={words.addReason} disabled={form.isBusy || name.value.trim() === ''} />
      </form>
    </details>
  )
}
