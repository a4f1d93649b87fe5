import type { operatorInput } from '../../../../schema/records/operator.ts'
import type { Infer } from '../../../../schema/types.ts'
import { newId } from '../../../data/new-id.ts'
import { RecordList } from '../../../records/record-list.tsx'
import { useLocale } from '../../../texts/locale.ts'
import { byName } from './plant.ts'

/** Operators of the machines. */
function Operators() {
  const { t } = useLocale()
  const words = t.settings
  const own = words.operators
  return (
    <RecordList
      kind={{
        ...own,
        title: words.parts.operators,
        load: client => client.call('GET /operators'),
        items: data => byName(data),
        nameOf: ({ name }) => name,
        columns: () => [{ title: t.terms.id, cell: ({ id }) => <code>{id}</code> }],
        onSave: (client, { id, ...body }: Infer<typeof operatorInput> & { readonly id?: string }, operator) =>
          client.call('PUT /operators/:id', { params: { id: operator?.id ?? id ?? newId() }, body }),
        onRemove: (client, { id }) => client.call('DELETE /operators/:id', { params: { id } }),
        fields: (_, operator) => [
          { kind: 'text', name: 'name', label: t.terms.name, required: true },
          ...(operator === null ? [{ kind: 'text', name: 'id', label: t.terms.id, hint: own.idHint } as const] : []),
        ],
      }}
    />
  )
}

export { Operators as screen }
