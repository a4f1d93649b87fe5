import { useState } from 'preact/hooks'
import type { MachineListItem } from '../../../schema/records/machine.ts'
import type { PartAdjustmentAnswer } from '../../../schema/records/part-adjustment.ts'
import type { PartAdjustmentTypeAnswer, RejectBehavior } from '../../../schema/records/part-adjustment-type.ts'
import { useViewer } from '../../data/viewer-context.ts'
import { useLocale } from '../../texts/locale.ts'
import { instantOf, wallTime } from '../../time/wall-time.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { Failure } from '../../ui/notice.tsx'
import { useAction } from '../../ui/use-action.ts'

const kinds = ['reject', 'uncounted', 'correction'] as const
/** Meaning of an entry: rejects among the counted parts, others, or a wrong count. */
export type AdjustmentKind = (typeof kinds)[number]

interface EntryProps {
  /** null: a new one. */
  readonly entry: PartAdjustmentAnswer | null
  /** Kind of a new one. */
  readonly as: AdjustmentKind
  readonly machines: readonly string[]
  readonly known: readonly MachineListItem[]
  readonly types: readonly PartAdjustmentTypeAnswer[]
  readonly onClose: () => void
  readonly onSaved: () => void
}

/** Enters rejects or corrects a count, or changes such an entry. */
export function EntryDialog({ entry, as, machines, known, types, onClose, onSaved }: EntryProps) {
  const { t } = useLocale()
  const { client, company } = useViewer()
  const action = useAction()
  const words = t.quality
  const [kind, setKind] = useState(entry === null ? as : kindOf(entry))
  const [machineId, setMachineId] = useState(entry?.machine_id ?? (machines.length === 1 ? (machines[0] ?? '') : ''))
  const [time, setTime] = useState(() =>
    wallTime(entry === null ? client.now() : Date.parse(entry.adjustmenttime), company.timeZone),
  )
  const [typeId, setTypeId] = useState(entry?.category_id === null || entry === null ? '' : String(entry.category_id))
  const [size, setSize] = useState(entry === null ? '' : String(kind === 'correction' ? entry.count : entry.scrapcount))
  const [behavior, setBehavior] = useState<RejectBehavior>(entry?.reject_behavior ?? 'scrap')
  const [note, setNote] = useState(entry?.message ?? '')
  const [isChecked, setChecked] = useState(false)
  const offered = types.filter(
    type => String(type.id) === typeId || (!type.hidden && (kind === 'correction' ? type.correction : type.scrap)),
  )
  const type = types.find(({ id }) => String(id) === typeId)
  const parts = Number(size)
  // An entry of another program may take rejects back.
  const mayBeNegative = entry !== null && entry.scrapcount < 0
  const isGoodNumber =
    size.trim() !== '' && Number.isInteger(parts) && (kind === 'correction' || mayBeNegative ? parts !== 0 : parts > 0)
  const isGoodTime = Number.isFinite(Date.parse(`${time}Z`))
  // An entry of another program may correct a count and reject parts at once: its correction stays.
  const others = entry !== null && kindOf(entry) === 'reject' ? entry.count + entry.scrapcount : 0
  const save = async () => {
    const isSameTime = entry !== null && wallTime(Date.parse(entry.adjustmenttime), company.timeZone) === time
    const body = {
      machine_id: machineId,
      adjustmenttime: isSameTime ? entry.adjustmenttime : new Date(instantOf(time, company.timeZone)).toISOString(),
      category_id: typeId === '' ? null : Number(typeId),
      message: note,
      scrapcount: kind === 'correction' ? 0 : parts,
      count: kind === 'correction' ? parts : kind === 'reject' ? others - parts : 0,
      reject_behavior: behavior,
    }
    if (entry === null) await client.call('POST /part-adjustment', { body })
    else await client.call('PUT /part-adjustment/:id', { params: { id: entry.id }, body })
    onSaved()
  }
  const title = entry !== null ? words.editTitle : as === 'correction' ? words.correct : words.enter
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        noValidate
        onSubmit={event => {
          event.preventDefault()
          setChecked(true)
          if (isGoodNumber && isGoodTime && machineId !== '') action.run(save)
        }}
      >
        <div class="pair">
          <div class="stack">
            <Select
              label={words.machine}
              value={machineId}
              options={[
                { value: '', title: words.chooseMachine },
                ...known
                  .filter(({ id, decommissionedAt }) => decommissionedAt === null || id === entry?.machine_id)
                  .map(({ id, name }) => ({ value: id, title: name })),
              ]}
              onValue={setMachineId}
            />
            {isChecked && machineId === '' && <p class="fault">{words.needsMachine}</p>}
          </div>
          <Field
            label={words.time}
            type="datetime-local"
            hint={words.timeHint(company.timeZone)}
            fault={isChecked && !isGoodTime ? words.needsTime : action.faultOf('adjustmenttime')}
            required
            value={time}
            onValue={setTime}
          />
        </div>
        <fieldset class="stack">
          <legend>{words.kind}</legend>
          {kinds.map(each => (
            <label key={each} class="option">
              <input type="radio" name="kind" checked={kind === each} onChange={() => setKind(each)} />
              <span>{words.kinds[each]}</span>
            </label>
          ))}
        </fieldset>
        <div class="pair">
          <Field
            label={kind === 'correction' ? words.corrected : words.rejected}
            type="number"
            required
            fault={isChecked && !isGoodNumber ? words.badNumber : undefined}
            value={size}
            onValue={setSize}
          />
          <Select
            label={words.reason}
            value={typeId}
            options={[
              { value: '', title: words.noReason },
              ...offered.map(({ id, name }) => ({ value: String(id), title: name })),
            ]}
            onValue={setTypeId}
          />
          {kind !== 'correction' && (type === undefined || type.reject_behavior === 'operator') && (
            <Select
              label={words.behavior}
              value={behavior}
              options={(['scrap', 'nonconform'] as const).map(value => ({ value, title: words.behaviors[value] }))}
              onValue={setBehavior}
            />
          )}
        </div>
        <Field label={words.note} autocomplete="off" value={note} onValue={setNote} />
        {action.error !== null && <Failure error={action.error} />}
        <div class="dialog-foot">
          <button type="button" class="button" onClick={onClose}>
            {t.keys.cancel}
          </button>
          <button type="submit" class="button primary" disabled={action.isBusy}>
            {words.save}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

function kindOf({ scrapcount, count }: PartAdjustmentAnswer): AdjustmentKind {
  if (scrapcount === 0) return 'correction'
  return count === 0 ? 'uncounted' : 'reject'
}
