import type { MachineListItem } from '../../../schema/records/machine.ts'
import { useLocale } from '../../texts/locale.ts'
import { Chooser } from '../../ui/chooser.tsx'
import { Field } from '../../ui/field.tsx'
import type { Assignment } from './plan.ts'

interface MachineChoiceProps {
  readonly label: string
  readonly assignment: Assignment
  /** Without those of other connectors. */
  readonly machines: readonly MachineListItem[]
  readonly onChange: (changes: Partial<Assignment>) => void
}

/** One of some machines, or the name of a new one. */
export function MachineChoice({ label, assignment, machines, onChange }: MachineChoiceProps) {
  const { t } = useLocale()
  return (
    <div class="row">
      <Chooser
        label={label}
        value={assignment.machineId ?? ''}
        options={[
          { value: '', title: t.source.createNew },
          ...machines.map(({ id, name }) => ({ value: id, title: name })),
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
