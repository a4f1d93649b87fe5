import type { DowntimeReasonResponse, downtimeReasonInput } from '../../../../schema/records/downtime-reason.ts'
import type { Infer } from '../../../../schema/types.ts'
import { RecordList } from '../../../records/record-list.tsx'
import { useLocale } from '../../../texts/locale.ts'
import { Swatch, YesNo } from './cells.tsx'
import { byName } from './plant.ts'

/** Reasons that downtime may have. */
function Reasons() {
  const { t } = useLocale()
  const words = t.settings
  const own = words.reasons
  return (
    <RecordList<DowntimeReasonResponse, readonly DowntimeReasonResponse[], Infer<typeof downtimeReasonInput>>
      kind={{
        ...own,
        title: words.parts.reasons,
        load: client => client.call('GET /downtime-reasons'),
        items: data => byName(data),
        nameOf: ({ name }) => name,
        columns: () => [
          { title: words.color, cell: ({ color }) => <Swatch color={color} /> },
          { title: own.planned, cell: ({ planned }) => <YesNo is={planned} /> },
          { title: words.hidden, cell: ({ hidden }) => <YesNo is={hidden} /> },
        ],
        onSave: (client, body, reason) =>
          reason === null
            ? client.call('POST /downtime-reasons', { body })
            : client.call('PUT /downtime-reasons/:id', { params: { id: String(reason.id) }, body }),
        onRemove: (client, { id }) => client.call('DELETE /downtime-reasons/:id', { params: { id: String(id) } }),
        fields: () => [
          { kind: 'text', name: 'name', label: t.terms.name, required: true },
          { kind: 'color', name: 'color', label: words.color },
          { kind: 'flag', name: 'planned', label: own.planned, hint: own.plannedHint },
          { kind: 'flag', name: 'hidden', label: words.hidden, hint: words.hiddenHint },
        ],
      }}
    />
  )
}

export { Reasons as screen }
