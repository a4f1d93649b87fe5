import type {
  PartAdjustmentTypeResponse,
  partAdjustmentTypeInput,
} from '../../../../schema/records/part-adjustment-type.ts'
import type { Infer } from '../../../../schema/types.ts'
import { RecordList } from '../../../records/record-list.tsx'
import { useLocale } from '../../../texts/locale.ts'
import { Swatch, YesNo } from './cells.tsx'
import { byName, optionsIn } from './plant.ts'

/** Types of part adjustments: reasons of rejects, and corrections. */
function Types() {
  const { t } = useLocale()
  const words = t.settings
  const own = words.types
  return (
    <RecordList<
      PartAdjustmentTypeResponse,
      readonly PartAdjustmentTypeResponse[],
      Infer<typeof partAdjustmentTypeInput>
    >
      kind={{
        ...own,
        load: client => client.call('GET /part-adjustment-types', { query: { includeHidden: 'true' } }),
        items: data => byName(data),
        nameOf: ({ name }) => name,
        columns: () => [
          { title: words.color, cell: ({ color }) => <Swatch color={color} /> },
          { title: own.use, cell: type => uses.flatMap(use => (type[use] ? [own.uses[use]] : [])).join(', ') || '–' },
          { title: own.behavior, cell: ({ reject_behavior: behavior }) => own.behaviors[behavior] },
          { title: words.hidden, cell: ({ hidden }) => <YesNo is={hidden} /> },
        ],
        onSave: (client, body, type) =>
          type === null
            ? client.call('POST /part-adjustment-types', { body })
            : client.call('PUT /part-adjustment-types/:id', { params: { id: String(type.id) }, body }),
        onRemove: (client, { id }) => client.call('DELETE /part-adjustment-types/:id', { params: { id: String(id) } }),
        fields: () => [
          { kind: 'text', name: 'name', label: t.terms.name, required: true },
          { kind: 'color', name: 'color', label: words.color },
          { kind: 'flag', name: 'scrap', label: own.uses.scrap, hint: own.scrapHint, initial: true },
          { kind: 'flag', name: 'correction', label: own.uses.correction, hint: own.correctionHint },
          {
            kind: 'choice',
            name: 'reject_behavior',
            label: own.behavior,
            hint: own.behaviorHint,
            options: optionsIn(own.behaviors),
          },
          { kind: 'flag', name: 'hidden', label: words.hidden, hint: words.hiddenHint },
        ],
      }}
    />
  )
}

const uses = ['scrap', 'correction'] as const

export { Types as screen }
