import type { MachineListItem } from '../../schema/records/machine.ts'
import { useQuery } from '../router/router.ts'
import { useLocale } from '../texts/locale.ts'
import { FilterButton } from './filter-button.tsx'

interface MachineFilterProps {
  /** null: they are not loaded yet. */
  readonly machines: readonly MachineListItem[] | null
  /** Ids; empty: all. */
  readonly chosen: readonly string[]
}

/** Filter of machines; the address contains the selection. */
export function MachineFilter({ machines, chosen }: MachineFilterProps) {
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
