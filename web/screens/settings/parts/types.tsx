import { RecordList } from '../record-list.tsx'
import { useSettingsTexts } from '../settings-texts.ts'
import { Swatch, YesNo } from './cells.tsx'
import { byName } from './plant.ts'

const behaviors = ['operator', 'scrap', 'nonconform'] as const

/** Types of part adjustments: reasons of rejects, and corrections. */
function Types() {
  const words = useSettingsTexts()
  const own = words.types
  return (
    <RecordList
      kind={{
        ...own,
        load: client => client.call('GET /part-adjustment-types', { query: { includeHidden: 'true' } }),
        items: data => byName(data),
        idOf: ({ id }) => String(id),
        nameOf: ({ name }) => name,
        columns: [
          { title: words.color, cell: ({ color }) => <Swatch color={color} /> },
          { title: own.use, cell: ({ scrap, correction }) => useOf(scrap, correction, own.uses) },
          { title: own.behavior, cell: ({ reject_behavior: behavior }) => own.behaviors[behavior] },
          { title: words.hidden, cell: ({ hidden }) => <YesNo is={hidden} /> },
        ],
        fields: () => [
          { kind: 'text', name: 'name', label: words.name, required: true },
          { kind: 'color', name: 'color', label: words.color },
          { kind: 'flag', name: 'scrap', label: own.uses.scrap, hint: own.scrapHint },
          { kind: 'flag', name: 'correction', label: own.uses.correction, hint: own.correctionHint },
          {
            kind: 'choice',
            name: 'reject_behavior',
            label: own.behavior,
            hint: own.behaviorHint,
            options: behaviors.map(value => ({ value, title: own.behaviors[value] })),
          },
          { kind: 'flag', name: 'hidden', label: words.hidden, hint: words.hiddenHint },
        ],
        draftOf: type => ({
          name: type?.name ?? '',
          color: type?.color ?? '#808080',
          scrap: type?.scrap ?? true,
          correction: type?.correction ?? false,
          reject_behavior: type?.reject_behavior ?? 'operator',
          hidden: type?.hidden ?? false,
        }),
        save: (client, draft, type) => {
          const body = {
            name: String(draft['name']),
            color: String(draft['color']),
            scrap: draft['scrap'] === true,
            correction: draft['correction'] === true,
            reject_behavior: behaviors.find(each => each === draft['reject_behavior']) ?? 'operator',
            hidden: draft['hidden'] === true,
          }
          return type === null
            ? client.call('POST /part-adjustment-types', { body })
            : client.call('PUT /part-adjustment-types/:id', { params: { id: String(type.id) }, body })
        },
        remove: {
          action: words.remove,
          text: own.removeText,
          work: (client, { id }) => client.call('DELETE /part-adjustment-types/:id', { params: { id: String(id) } }),
        },
      }}
    />
  )
}

function useOf(scrap: boolean, correction: boolean, uses: { readonly scrap: string; readonly correction: string }) {
  const named = [...(scrap ? [uses.scrap] : []), ...(correction ? [uses.correction] : [])]
  return named.length === 0 ? '–' : named.join(', ')
}

export { Types as part }
