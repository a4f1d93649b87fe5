import { newId } from '../../../data/new-id.ts'
import { RecordList } from '../record-list.tsx'
import { useSettingsTexts } from '../settings-texts.ts'
import { byName } from './plant.ts'

/** People at the machines. */
function Operators() {
  const words = useSettingsTexts()
  const own = words.operators
  return (
    <RecordList
      kind={{
        ...own,
        load: client => client.call('GET /operators'),
        items: data => byName(data),
        idOf: ({ id }) => id,
        nameOf: ({ name }) => name,
        columns: [{ title: own.id, cell: ({ id }) => <code>{id}</code> }],
        fields: (_, operator) => [
          { kind: 'text', name: 'name', label: words.name, required: true },
          ...(operator === null ? [{ kind: 'text' as const, name: 'id', label: own.id, hint: own.idHint }] : []),
        ],
        draftOf: operator => ({ name: operator?.name ?? '', id: '' }),
        save: (client, { name, id }, operator) =>
          client.call('PUT /operators/:id', {
            params: { id: operator?.id ?? (typeof id === 'string' && id.trim() !== '' ? id.trim() : newId()) },
            body: { name: String(name) },
          }),
        remove: {
          action: words.remove,
          text: own.removeText,
          work: (client, { id }) => client.call('DELETE /operators/:id', { params: { id } }),
        },
      }}
    />
  )
}

export { Operators as part }
