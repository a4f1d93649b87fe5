import { useState } from 'preact/hooks'
import type { machineInput, MachineListItem } from '../../../../schema/records/machine.ts'
import type { Infer } from '../../../../schema/types.ts'
import type { Client } from '../../../data/client.ts'
import { newId } from '../../../data/new-id.ts'
import { newMachineStaleMs } from '../../../data/silence.ts'
import { RecordList } from '../../../records/record-list.tsx'
import { useLocale } from '../../../texts/locale.ts'
import { Button } from '../../../ui/button.tsx'
import { PasteDialog } from './paste-machines.tsx'
import { loadPlant, namesOf, optionsIn, optionsOf, type PlantRecords } from './plant.ts'

/** Machines that are in service, created one by one or from a pasted list. */
function Machines() {
  const { t } = useLocale()
  const words = t.settings
  const own = words.machines
  const [pasting, setPasting] = useState<{ readonly plant: PlantRecords; readonly reload: () => void } | null>(null)
  return (
    <>
      <RecordList
        kind={{
          ...own,
          title: words.parts.machines,
          load: loadPlant,
          items: ({ machines }) => machines,
          nameOf: ({ name }) => name,
          columns: () => [
            { title: words.parts.groups, cell: ({ machineGroups }) => namesOf(machineGroups, words.andMore) },
            { title: own.erpMachineId, cell: ({ erpMachineId }) => erpMachineId ?? t.none },
            { title: own.make, cell: ({ make, model }) => [make, model].filter(Boolean).join(' ') || t.none },
            { title: own.id, cell: ({ id }) => <code class="id">{id}</code> },
          ],
          more: (reload, plant) => (
            <Button text={own.paste} disabled={plant === null} onClick={() => plant && setPasting({ plant, reload })} />
          ),
          details: ({ id }, client) => client.call('GET /machines/:id', { params: { id } }),
          onSave: saveMachine,
          onRemove: (client, { id }) => client.call('DELETE /machines/:id', { params: { id } }),
          fields: ({ groups, schedules }) => [
            { kind: 'text', name: 'name', label: t.terms.name, required: true },
            {
              kind: 'choice',
              name: 'scheduleId',
              label: own.schedule,
              hint: own.scheduleHint,
              options: [{ value: '', title: own.noSchedule }, ...optionsOf(schedules)],
            },
            { kind: 'choices', name: 'machineGroupIds', label: words.parts.groups, options: optionsOf(groups) },
            { kind: 'text', name: 'erpMachineId', label: own.erpMachineId, hint: own.erpMachineIdHint },
            { kind: 'text', name: 'make', label: own.make },
            { kind: 'text', name: 'model', label: own.model },
            { kind: 'choice', name: 'partCounter', label: own.partCounter, options: optionsIn(own.counters) },
            { kind: 'text', name: 'partCountKey', label: own.partCountKey, hint: own.partCountKeyHint },
            {
              kind: 'number',
              name: 'microstopMs',
              label: own.microstop,
              hint: own.microstopHint,
              show: ms => ms / 1000,
              store: seconds => Math.round(seconds * 1000),
            },
          ],
        }}
      />
      {pasting && (
        <PasteDialog plant={pasting.plant} onClose={() => setPasting(null)} onChanged={() => pasting.reload()} />
      )}
    </>
  )
}

/** Settings that the form does not show stay unchanged. */
async function saveMachine(client: Client, body: Infer<typeof machineInput>, machine: MachineListItem | null) {
  const params = { id: machine?.id ?? newId() }
  if (machine === null)
    return client.call('PUT /machines/:id', { params, body: { staleAfterMs: newMachineStaleMs, ...body } })
  const { id: _, machineRef: __, createdAt: ___, ...stored } = await client.call('GET /machines/:id', { params })
  return client.call('PUT /machines/:id', { params, body: { ...stored, ...body } })
}

export { Machines as screen }
