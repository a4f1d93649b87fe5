import type { machineGroupInput } from '../../../../schema/records/machine-group.ts'
import type { Infer } from '../../../../schema/types.ts'
import { newId } from '../../../data/new-id.ts'
import { RecordList } from '../../../records/record-list.tsx'
import { useLocale } from '../../../texts/locale.ts'
import { loadPlant, membersOf, namesOf, optionsOf } from './plant.ts'

/** Groups of machines. */
function Groups() {
  const { t, format } = useLocale()
  const words = t.settings
  const own = words.groups
  return (
    <RecordList
      kind={{
        ...own,
        load: loadPlant,
        items: ({ groups }) => groups,
        nameOf: ({ name }) => name,
        columns: data => [
          { title: words.parts.machines, cell: ({ machineIds }) => format.count(machineIds.length) },
          { title: own.which, cell: group => namesOf(membersOf(group, data), words.andMore) },
        ],
        onSave: (client, body: Infer<typeof machineGroupInput>, group) =>
          client.call('PUT /machine-groups/:id', { params: { id: group?.id ?? newId() }, body }),
        onRemove: (client, { id }) => client.call('DELETE /machine-groups/:id', { params: { id } }),
        fields: ({ machines }) => [
          { kind: 'text', name: 'name', label: t.terms.name, required: true },
          { kind: 'choices', name: 'machineIds', label: words.parts.machines, options: optionsOf(machines) },
        ],
      }}
    />
  )
}

export { Groups as screen }
