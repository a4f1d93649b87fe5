import type { MachineListItem } from '../../../schema/records/machine.ts'
import { useLocale } from '../../texts/locale.ts'
import { Chooser } from '../../ui/chooser.tsx'
import { Field } from '../../ui/field.tsx'
import type { Assignment } from './plan.ts'

interface MachineChoiceProps {
  readonly label: string
  readonly assignment: Assignment
  readonly machines: readonly MachineListItem[]
  readonly onChange: (changes: Partial<Assignment>) => void
}

/** An existing machine, or the name of a new one. Machines of other connectors are not offered. */
export function MachineChoice({ label, assignment, machines, onChange }: MachineChoiceProps) {
  const { t } = useLocale()
  const free = machines.filter(({ connection }) => connection.connectorId === null)
  return (
    <div class="row">
      <Chooser
        label={label}
        value={assignment.machineId ?? ''}
        options={[
          { value: '', title: t.source.createNew },
          ...free.map(({ id, name }) => ({ value: id, title: name })),
        ]}
        onValue={id => onChange({ machineId: id === '' ? null : id })}
      />
      {assignment.machineId === null && (
        <Field
          label={t.source.machineName}
          autocomplete="off"
          value={assignment.newName}
          onValue={newName => onChange({ newName })}
        />
      )}
    </div>
  )
}
