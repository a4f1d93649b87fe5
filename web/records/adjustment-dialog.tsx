import type { MachineListItem } from '../../schema/records/machine.ts'
import type { PartAdjustmentResponse } from '../../schema/records/part-adjustment.ts'
import type { PartAdjustmentTypeResponse } from '../../schema/records/part-adjustment-type.ts'
import { useViewer } from '../data/viewer.ts'
import type { Draft, FieldSpec } from './fields.tsx'
import { FormDialog } from './record-form.tsx'
import { useLocale } from '../texts/locale.ts'
import { wallTime } from '../time/wall-time.ts'
import { type AdjustmentKind, bodyOf, draftOf, type AdjustmentDraft, isGoodNumber, kinds } from './adjustment-draft.ts'

interface AdjustmentProps {
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
export function AdjustmentDialog({ entry, as, machines, known, types, onClose, onSaved }: AdjustmentProps) {
  const { t } = useLocale()
  const { client, company } = useViewer()
  const words = t.quality
  const first = entry
    ? draftOf(entry, company.timeZone)
    : {
        kind: as,
        machine_id: machines.length === 1 ? machines[0] : '',
        adjustmenttime: wallTime(client.now(), company.timeZone),
      }
  const offered = known.filter(({ id, decommissionedAt }) => decommissionedAt === null || id === entry?.machine_id)
  const fieldsFor = ({ kind, category_id: typeId }: Draft): readonly FieldSpec<keyof AdjustmentDraft>[] => {
    const isCorrection = kind === 'correction'
    const isChosen = ({ id }: PartAdjustmentTypeResponse) => String(id) === typeId
    const reasons = types.filter(
      each => isChosen(each) || (!each.hidden && (isCorrection ? each.correction : each.scrap)),
    )
    const hasBehavior = !isCorrection && (types.find(isChosen)?.reject_behavior ?? 'operator') === 'operator'
    return [
      {
        kind: 'choice',
        name: 'machine_id',
        row: 'place',
        label: t.terms.machine,
        options: [
          { value: '', title: words.chooseMachine },
          ...offered.map(({ id, name }) => ({ value: id, title: name })),
        ],
        check: value => (value === '' ? t.machine.none : undefined),
      },
      {
        kind: 'datetime-local',
        name: 'adjustmenttime',
        row: 'place',
        label: t.terms.time,
        hint: words.timeHint(company.timeZone),
        required: true,
        check: value => (Number.isFinite(Date.parse(`${String(value)}Z`)) ? undefined : words.needsTime),
      },
      {
        kind: 'radio',
        name: 'kind',
        label: words.kind,
        options: kinds.map(value => ({ value, title: words.kinds[value] })),
      },
      {
        kind: 'number',
        name: 'size',
        row: 'parts',
        label: isCorrection ? words.corrected : words.rejected,
        required: true,
        check: value => (isGoodNumber(String(value), isCorrection, entry) ? undefined : words.badNumber),
      },
      {
        kind: 'choice',
        name: 'category_id',
        row: 'parts',
        label: t.terms.reason,
        options: [
          { value: '', title: words.noReason },
          ...reasons.map(({ id, name }) => ({ value: String(id), title: name })),
        ],
      },
      ...(hasBehavior
        ? [
            {
              kind: 'choice',
              name: 'reject_behavior',
              row: 'parts',
              label: words.behavior,
              options: (['scrap', 'nonconform'] as const).map(value => ({ value, title: words.behaviors[value] })),
            } as const,
          ]
        : []),
      { kind: 'text', name: 'message', label: t.terms.note },
    ]
  }
  return (
    <FormDialog
      title={entry !== null ? words.editTitle : as === 'correction' ? words.correct : words.enter}
      fields={fieldsFor}
      record={first}
      submit={t.keys.save}
      noValidate
      onClose={onClose}
      onSubmit={async (draft: AdjustmentDraft) => {
        const body = bodyOf(draft, entry, company.timeZone)
        if (entry === null) await client.call('POST /part-adjustment', { body })
        else await client.call('PUT /part-adjustment/:id', { params: { id: entry.id }, body })
        onSaved()
      }}
    />
  )
}
