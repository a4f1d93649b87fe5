import { useState } from 'preact/hooks'
import type { MachineListItem } from '../../../schema/records/machine.ts'
import type { PartAdjustmentResponse } from '../../../schema/records/part-adjustment.ts'
import type { PartAdjustmentTypeResponse } from '../../../schema/records/part-adjustment-type.ts'
import { useViewer } from '../../data/viewer.ts'
import { useLocale } from '../../texts/locale.ts'
import { wallTime } from '../../time/wall-time.ts'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { Failure } from '../../ui/notice.tsx'
import { useAction } from '../../ui/use-action.ts'
import {
  type AdjustmentKind,
  bodyOf,
  draftOf,
  type EntryDraft,
  isGoodNumber,
  isGoodTime,
  kinds,
} from './entry-draft.ts'

interface EntryProps {
  /** null: a new one. */
  readonly entry: PartAdjustmentResponse | null
  /** Kind of a new one. */
  readonly as: AdjustmentKind
  readonly machines: readonly string[]
  readonly known: readonly MachineListItem[]
  readonly types: readonly PartAdjustmentTypeResponse[]
  readonly onClose: () => void
  readonly onSaved: () => void
}

/** Enters rejects or corrects a count, or changes such an entry. */
export function EntryDialog({ entry, as, machines, known, types, onClose, onSaved }: EntryProps) {
  const { t } = useLocale()
  const { client, company } = useViewer()
  const action = useAction()
  const words = t.quality
  const [draft, setDraft] = useState<EntryDraft>(() => {
    if (entry !== null) return draftOf(entry, company.timeZone)
    const machineId = machines.length === 1 ? (machines[0] ?? '') : ''
    const time = wallTime(client.now(), company.timeZone)
    return { kind: as, machineId, time, typeId: '', size: '', behavior: 'scrap', note: '' }
  })
  const [isChecked, setChecked] = useState(false)
  const change = (changes: Partial<EntryDraft>) => setDraft(before => ({ ...before, ...changes }))
  const save = async () => {
    const body = bodyOf(draft, entry, company.timeZone)
    if (entry === null) await client.call('POST /part-adjustment', { body })
    else await client.call('PUT /part-adjustment/:id', { params: { id: entry.id }, body })
    onSaved()
  }
  const title = entry !== null ? words.editTitle : as === 'correction' ? words.correct : words.enter
  const part = { entry, draft, isChecked, onChange: change }
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        noValidate
        onSubmit={event => {
          event.preventDefault()
          setChecked(true)
          if (isGoodNumber(draft, entry) && isGoodTime(draft) && draft.machineId !== '') action.run(save)
        }}
      >
        <Place {...part} known={known} timeError={action.errorOf('adjustmenttime')} />
        <KindChoice draft={draft} onChange={change} />
        <Parts {...part} types={types} />
        <Field label={t.terms.note} autocomplete="off" value={draft.note} onValue={note => change({ note })} />
        <Failure error={action.error} />
        <DialogFoot submit={t.keys.save} disabled={action.isBusy} onClose={onClose} />
      </form>
    </Dialog>
  )
}

interface PartProps {
  readonly entry: PartAdjustmentResponse | null
  readonly draft: EntryDraft
  /** Whether errors are shown. */
  readonly isChecked: boolean
  readonly onChange: (changes: Partial<EntryDraft>) => void
}

interface PlaceProps extends PartProps {
  readonly known: readonly MachineListItem[]
  /** Fault of the time that the service found. */
  readonly timeError: string | undefined
}

function Place({ entry, draft, isChecked, onChange, known, timeError }: PlaceProps) {
  const { company } = useViewer()
  const { t } = useLocale()
  const words = t.quality
  return (
    <div class="pair">
      <div class="stack">
        <Select
          label={t.terms.machine}
          value={draft.machineId}
          options={[
            { value: '', title: words.chooseMachine },
            ...known
              .filter(({ id, decommissionedAt }) => decommissionedAt === null || id === entry?.machine_id)
              .map(({ id, name }) => ({ value: id, title: name })),
          ]}
          onValue={machineId => onChange({ machineId })}
        />
        {isChecked && draft.machineId === '' && <p class="fault">{t.machine.none}</p>}
      </div>
      <Field
        label={t.terms.time}
        type="datetime-local"
        hint={words.timeHint(company.timeZone)}
        error={isChecked && !isGoodTime(draft) ? words.needsTime : timeError}
        required
        value={draft.time}
        onValue={time => onChange({ time })}
      />
    </div>
  )
}

function KindChoice({ draft, onChange }: Pick<PartProps, 'draft' | 'onChange'>) {
  const words = useLocale().t.quality
  return (
    <fieldset class="stack">
      <legend>{words.kind}</legend>
      {kinds.map(kind => (
        <label key={kind} class="option">
          <input type="radio" name="kind" checked={draft.kind === kind} onChange={() => onChange({ kind })} />
          <span>{words.kinds[kind]}</span>
        </label>
      ))}
    </fieldset>
  )
}

interface PartsProps extends PartProps {
  readonly types: readonly PartAdjustmentTypeResponse[]
}

function Parts({ entry, draft, isChecked, onChange, types }: PartsProps) {
  const { t } = useLocale()
  const words = t.quality
  const isCorrection = draft.kind === 'correction'
  const isChosen = ({ id }: PartAdjustmentTypeResponse) => String(id) === draft.typeId
  const type = types.find(isChosen)
  const offered = types.filter(
    each => isChosen(each) || (!each.hidden && (isCorrection ? each.correction : each.scrap)),
  )
  return (
    <div class="pair">
      <Field
        label={isCorrection ? words.corrected : words.rejected}
        type="number"
        required
        error={isChecked && !isGoodNumber(draft, entry) ? words.badNumber : undefined}
        value={draft.size}
        onValue={size => onChange({ size })}
      />
      <Select
        label={t.terms.reason}
        value={draft.typeId}
        options={[
          { value: '', title: words.noReason },
          ...offered.map(({ id, name }) => ({ value: String(id), title: name })),
        ]}
        onValue={typeId => onChange({ typeId })}
      />
      {!isCorrection && (type === undefined || type.reject_behavior === 'operator') && (
        <Select
          label={words.behavior}
          value={draft.behavior}
          options={(['scrap', 'nonconform'] as const).map(value => ({ value, title: words.behaviors[value] }))}
          onValue={behavior => onChange({ behavior })}
        />
      )}
    </div>
  )
}
