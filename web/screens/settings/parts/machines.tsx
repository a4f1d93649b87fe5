import { useState } from 'preact/hooks'
import type { MachineDetails, MachineListItem } from '../../../../schema/records/machine.ts'
import { newId } from '../../../data/new-id.ts'
import { useLocale } from '../../../texts/locale.ts'
import type { Draft } from '../fields.tsx'
import { RecordList } from '../record-list.tsx'
import { useSettingsTexts } from '../settings-texts.ts'
import { PasteDialog } from './paste-machines.tsx'
import { loadPlant, namesOf, type PlantRecords } from './plant.ts'

const counters = ['counter', 'increment', 'cycle', 'program', 'none'] as const

/** Machines that are in service, one by one or many from a list. */
function Machines() {
  const { t } = useLocale()
  const words = useSettingsTexts()
  const own = words.machines
  const [pasting, setPasting] = useState<{ readonly plant: PlantRecords; readonly reload: () => void } | null>(null)
  return (
    <>
      <RecordList<MachineListItem, PlantRecords>
        kind={{
          ...own,
          load: loadPlant,
          items: ({ machines }) => machines,
          idOf: ({ id }) => id,
          nameOf: ({ name }) => name,
          columns: [
            { title: words.parts.groups, cell: ({ machineGroups }) => namesOf(machineGroups, words.andMore) },
            { title: own.erpMachineId, cell: ({ erpMachineId }) => erpMachineId ?? t.none },
            { title: own.make, cell: ({ make, model }) => [make, model].filter(Boolean).join(' ') || t.none },
            { title: own.id, cell: ({ id }) => <code class="id">{id}</code> },
          ],
          more: (reload, data) => (
            <button
              type="button"
              class="button"
              disabled={data === null}
              onClick={() => data && setPasting({ plant: data, reload })}
            >
              {own.paste}
            </button>
          ),
          fields: ({ groups, schedules }) => [
            { kind: 'text', name: 'name', label: words.name, required: true },
            {
              kind: 'choice',
              name: 'scheduleId',
              label: own.schedule,
              hint: own.scheduleHint,
              options: [
                { value: '', title: own.noSchedule },
                ...schedules.map(({ id, name }) => ({ value: id, title: name })),
              ],
            },
            {
              kind: 'choices',
              name: 'machineGroupIds',
              label: words.parts.groups,
              options: groups.map(({ id, name }) => ({ value: id, title: name })),
            },
            { kind: 'text', name: 'erpMachineId', label: own.erpMachineId, hint: own.erpMachineIdHint },
            { kind: 'text', name: 'make', label: own.make },
            { kind: 'text', name: 'model', label: own.model },
            {
              kind: 'choice',
              name: 'partCounter',
              label: own.partCounter,
              options: counters.map(value => ({ value, title: own.counters[value] })),
            },
            { kind: 'text', name: 'partCountKey', label: own.partCountKey, hint: own.partCountKeyHint },
            { kind: 'number', name: 'microstopSeconds', label: own.microstop, hint: own.microstopHint },
          ],
          async draftOf(machine, client) {
            if (machine === null) return draftOf(null)
            return draftOf(await client.call('GET /machines/:id', { params: { id: machine.id } }))
          },
          async save(client, draft, machine) {
            const id = machine?.id ?? newId()
            const before = machine && (await client.call('GET /machines/:id', { params: { id } }))
            return client.call('PUT /machines/:id', { params: { id }, body: bodyOf(before, draft) })
          },
          remove: {
            action: own.decommission,
            text: own.decommissionText,
            work: (client, { id }) => client.call('DELETE /machines/:id', { params: { id } }),
          },
        }}
      />
      {pasting && (
        <PasteDialog plant={pasting.plant} onClose={() => setPasting(null)} onChanged={() => pasting.reload()} />
      )}
    </>
  )
}

function draftOf(machine: MachineDetails | null): Draft {
  return {
    name: machine?.name ?? '',
    scheduleId: machine?.scheduleId ?? '',
    machineGroupIds: machine?.machineGroupIds ?? [],
    erpMachineId: machine?.erpMachineId ?? '',
    make: machine?.make ?? '',
    model: machine?.model ?? '',
    partCounter: machine?.partCounter ?? 'counter',
    partCountKey: machine?.partCountKey ?? '',
    microstopSeconds: String((machine?.microstopMs ?? 0) / 1000),
  }
}

/** The machine as it is to be; settings that the form does not show stay. */
function bodyOf(before: MachineDetails | null, draft: Draft) {
  const text = (name: string) => String(draft[name] ?? '').trim()
  const orNull = (name: string) => (text(name) === '' ? null : text(name))
  const { id: _, machineRef: __, createdAt: ___, ...kept } = before ?? { id: '', machineRef: 0, createdAt: '' }
  const groups = draft['machineGroupIds']
  return {
    ...kept,
    name: text('name'),
    scheduleId: orNull('scheduleId'),
    machineGroupIds: Array.isArray(groups) ? groups.map(String) : [],
    erpMachineId: orNull('erpMachineId'),
    make: orNull('make'),
    model: orNull('model'),
    partCounter: counters.find(each => each === draft['partCounter']) ?? 'counter',
    partCountKey: orNull('partCountKey'),
    microstopMs: Math.round(Number(text('microstopSeconds')) * 1000),
  }
}

export { Machines as part }
