import type { DowntimeReasonResponse, downtimeReasonInput } from '../../../../schema/records/downtime-reason.ts'
import type { Infer } from '../../../../schema/types.ts'
import { groupReasons } from '../../../data/reason-groups.ts'
import { hasScope, useViewer, type Viewer } from '../../../data/viewer.ts'
import { GroupNames } from '../../../records/grouped-reasons.tsx'
import { RecordList } from '../../../records/record-list.tsx'
import { useLocale } from '../../../texts/locale.ts'
import { Swatch, YesNo } from './cells.tsx'
import { byName, type Group, namesOf, optionsOf } from './plant.ts'

/** Reasons that downtime may have. */
function Reasons() {
  const { t } = useLocale()
  const viewer = useViewer()
  const words = t.settings
  const own = words.reasons
  return (
    <RecordList<DowntimeReasonResponse, ReasonsData, Infer<typeof downtimeReasonInput>>
      kind={{
        ...own,
        title: words.parts.reasons,
        load: () => loadReasons(viewer),
        items: ({ reasons }) => groupReasons(reasons).flatMap(group => byName(group.reasons)),
        nameOf: ({ name }) => name,
        sectionOf: ({ group }) => group,
        more: (_, data) => <GroupNames id={groupNamesId} reasons={data?.reasons ?? []} />,
        columns: ({ groups }) => [
          { title: words.color, cell: ({ color }) => <Swatch color={color} /> },
          { title: own.planned, cell: ({ planned }) => <YesNo is={planned} /> },
          { title: words.hidden, cell: ({ hidden }) => <YesNo is={hidden} /> },
          {
            title: words.groups.title,
            cell: ({ machineGroupIds: ids }) =>
              ids.length === 0 ? own.allMachines : namesOf(namedGroups(ids, groups), words.andMore),
          },
        ],
        onSave: (client, body, reason) =>
          reason === null
            ? client.call('POST /downtime-reasons', { body })
            : client.call('PUT /downtime-reasons/:id', { params: { id: String(reason.id) }, body }),
        onRemove: (client, { id }) => client.call('DELETE /downtime-reasons/:id', { params: { id: String(id) } }),
        fields: ({ groups }) => [
          { kind: 'text', name: 'name', label: t.terms.name, required: true },
          { kind: 'text', name: 'group', label: own.group, hint: own.groupHint, list: groupNamesId },
          { kind: 'color', name: 'color', label: words.color },
          { kind: 'flag', name: 'planned', label: own.planned, hint: own.plannedHint },
          { kind: 'flag', name: 'hidden', label: words.hidden, hint: words.hiddenHint },
          {
            kind: 'choices',
            name: 'machineGroupIds',
            label: words.groups.title,
            hint: own.machineGroupsHint,
            options: optionsOf(groups),
          },
        ],
      }}
    />
  )
}

interface ReasonsData {
  readonly reasons: readonly DowntimeReasonResponse[]
  /** Machine groups by name; empty if the viewer may not read them. */
  readonly groups: readonly Group[]
}

async function loadReasons(viewer: Viewer): Promise<ReasonsData> {
  const { client } = viewer
  const [reasons, groups] = await Promise.all([
    client.call('GET /downtime-reasons'),
    hasScope(viewer, 'machine.read') ? client.call('GET /machine-groups') : [],
  ])
  return { reasons, groups: byName(groups) }
}

/** The groups with these ids, by name; the id is the name of one that the viewer may not read. */
function namedGroups(ids: readonly string[], groups: readonly Group[]): readonly { readonly name: string }[] {
  const names = new Map(groups.map(({ id, name }) => [id, name]))
  return byName(ids.map(id => ({ name: names.get(id) ?? id })))
}

const groupNamesId = 'reason-group-names'

export { Reasons as screen }
