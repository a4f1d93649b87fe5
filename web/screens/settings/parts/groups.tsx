import { newId } from '../../../data/new-id.ts'
import { useLocale } from '../../../texts/locale.ts'
import { RecordList } from '../record-list.tsx'
import { useSettingsTexts } from '../settings-texts.ts'
import { loadPlant, membersOf, namesOf } from './plant.ts'

/** Groups of machines. */
function Groups() {
  const words = useSettingsTexts()
  const { format } = useLocale()
  const own = words.groups
  return (
    <RecordList
      kind={{
        ...own,
        load: loadPlant,
        items: ({ groups }) => groups,
        idOf: ({ id }) => id,
        nameOf: ({ name }) => name,
        columns: [
          { title: words.parts.machines, cell: ({ machineIds }) => format.count(machineIds.length) },
          { title: own.which, cell: (group, data) => namesOf(membersOf(group, data), words.andMore) },
        ],
        fields: ({ machines }) => [
          { kind: 'text', name: 'name', label: words.name, required: true },
          {
            kind: 'choices',
            name: 'machineIds',
            label: words.parts.machines,
            options: machines.map(({ id, name }) => ({ value: id, title: name })),
          },
        ],
        draftOf: group => ({ name: group?.name ?? '', machineIds: group?.machineIds ?? [] }),
        save: (client, { name, machineIds }, group) =>
          client.call('PUT /machine-groups/:id', {
            params: { id: group?.id ?? newId() },
            body: { name: String(name), machineIds: Array.isArray(machineIds) ? machineIds : [] },
          }),
        remove: {
          action: words.remove,
          text: own.removeText,
          work: (client, { id }) => client.call('DELETE /machine-groups/:id', { params: { id } }),
        },
      }}
    />
  )
}

export { Groups as part }
