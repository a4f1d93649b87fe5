import { RecordList } from '../record-list.tsx'
import { useSettingsTexts } from '../settings-texts.ts'
import { byName } from './plant.ts'
import { Swatch, YesNo } from './cells.tsx'

/** Reasons that downtime may have. */
function Reasons() {
  const words = useSettingsTexts()
  const own = words.reasons
  return (
    <RecordList
      kind={{
        ...own,
        load: client => client.call('GET /downtime-reasons'),
        items: data => byName(data),
        idOf: ({ id }) => String(id),
        nameOf: ({ name }) => name,
        columns: [
          { title: words.color, cell: ({ color }) => <Swatch color={color} /> },
          { title: own.planned, cell: ({ planned }) => <YesNo is={planned} /> },
          { title: words.hidden, cell: ({ hidden }) => <YesNo is={hidden} /> },
        ],
        fields: () => [
          { kind: 'text', name: 'name', label: words.name, required: true },
          { kind: 'color', name: 'color', label: words.color },
          { kind: 'flag', name: 'planned', label: own.planned, hint: own.plannedHint },
          { kind: 'flag', name: 'hidden', label: words.hidden, hint: words.hiddenHint },
        ],
        draftOf: reason => ({
          name: reason?.name ?? '',
          color: reason?.color ?? '#808080',
          planned: reason?.planned ?? false,
          hidden: reason?.hidden ?? false,
        }),
        save: (client, draft, reason) => {
          const body = {
            name: String(draft['name']),
            color: String(draft['color']),
            planned: draft['planned'] === true,
            hidden: draft['hidden'] === true,
          }
          return reason === null
            ? client.call('POST /downtime-reasons', { body })
            : client.call('PUT /downtime-reasons/:id', { params: { id: String(reason.id) }, body })
        },
        remove: {
          action: words.remove,
          text: own.removeText,
          work: (client, { id }) => client.call('DELETE /downtime-reasons/:id', { params: { id: String(id) } }),
        },
      }}
    />
  )
}

export { Reasons as part }
