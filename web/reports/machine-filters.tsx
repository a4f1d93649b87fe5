import type { MachineListItem } from '../../schema/records/machine.ts'
import { useQuery } from '../router/router.tsx'
import { useLocale } from '../texts/locale.ts'
import { FilterButton, type Option } from './filter-button.tsx'

/** Machines that are chosen: by id, by group (`none`: those in no group), or both. Empty: all. */
export interface Chosen {
  readonly machines: readonly string[]
  readonly groups: readonly string[]
}

interface FilterProps {
  /** null: they are not loaded yet. */
  readonly machines: readonly MachineListItem[] | null
  /** Ids; empty: all. */
  readonly chosen: readonly string[]
}

/** Filter of machines; the address contains the selection. */
export function MachineFilter({ machines, chosen }: FilterProps) {
  const { t } = useLocale()
  const [, change] = useQuery()
  return (
    <FilterButton
      title={t.reports.filters.machine}
      options={machines}
      chosen={chosen}
      onChange={ids => change({ machine: ids.join(',') })}
    />
  )
}

/** Filter of machine groups, if the plant has any; the address contains the selection. */
export function GroupFilter({ machines, chosen }: FilterProps) {
  const { t } = useLocale()
  const [, change] = useQuery()
  const groups = groupsOf(machines ?? [])
  if (groups.length === 0 && chosen.length === 0) return null
  return (
    <FilterButton
      title={t.reports.filters.machineGroup}
      options={machines === null ? null : [...groups, { id: 'none', name: t.reports.absent.machineGroup }]}
      chosen={chosen}
      onChange={ids => change({ group: ids.join(',') })}
    />
  )
}

/** Ids of the machines that are chosen; null: all. */
export function machinesOf({ machines, groups }: Chosen, known: readonly MachineListItem[]): readonly string[] | null {
  if (groups.length === 0) return machines.length === 0 ? null : machines
  const isIn = ({ machineGroups }: MachineListItem) =>
    machineGroups.length === 0 ? groups.includes('none') : machineGroups.some(({ id }) => groups.includes(id))
  return known
    .filter(machine => isIn(machine) && (machines.length === 0 || machines.includes(machine.id)))
    .map(({ id }) => id)
}

/** Groups of the machines, by name. */
export function groupsOf(machines: readonly MachineListItem[]): readonly Option[] {
  const byId = new Map(machines.flatMap(({ machineGroups }) => machineGroups.map(group => [group.id, group] as const)))
  return [...byId.values()].sort((a, b) => a.name.localeCompare(b.name))
}
