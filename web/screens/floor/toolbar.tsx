import type { AddressQuery } from '../../router/address.ts'
import { groupsOf } from '../../reports/machine-filters.tsx'
import { useLocale } from '../../texts/locale.ts'
import { Chooser } from '../../ui/chooser.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { Toggles } from '../../ui/toggles.tsx'
import { arrangements, countStatuses, floorStatuses, type FloorView, tileSizes } from './arrange.ts'
import type { FloorMachine } from './floor-machine.ts'

interface ToolbarProps {
  readonly machines: readonly FloorMachine[]
  readonly view: FloorView
  /** Whether a phone shows it; larger screens always do. */
  readonly isOpen: boolean
  readonly onChange: (changes: AddressQuery) => void
}

/** Filters of the floor. The address contains them, so that a view can be bookmarked and shared. */
export function Toolbar({ machines, view, isOpen, onChange }: ToolbarProps) {
  const { t, format } = useLocale()
  const counts = countStatuses(machines)
  const groups = groupsOf(machines.map(({ machine }) => machine)).map(({ id, name }) => ({ value: id, title: name }))
  return (
    <div id="floor-toolbar" class="toolbar" data-open={isOpen}>
      <Toggles
        label={t.floor.filterLabel}
        value={view.status}
        options={[
          { value: null, title: t.floor.all, count: format.count(machines.length) },
          ...floorStatuses.map(status => ({
            value: status,
            status: status === 'unscheduled' ? undefined : status,
            title: t.floor.statuses[status],
            count: format.count(counts.get(status) ?? 0),
          })),
        ]}
        onValue={status => onChange({ status: view.status === status ? null : status })}
      />
      <div class="choices">
        <Field
          label={t.reports.search}
          type="search"
          placeholder={t.floor.searchHint}
          autocomplete="off"
          value={view.words}
          onValue={words => onChange({ q: words })}
        />
        {groups.length > 1 && (
          <Chooser
            label={t.floor.byOptions.group}
            value={view.groupId ?? ''}
            options={[{ value: '', title: t.floor.everyGroup }, ...groups]}
            onValue={group => onChange({ group })}
          />
        )}
        <Select
          label={t.floor.by}
          value={view.by}
          options={arrangements.map(value => ({ value, title: t.floor.byOptions[value] }))}
          onValue={by => onChange({ by: by === 'group' ? null : by })}
        />
        <Select
          label={t.floor.tiles}
          value={view.size}
          options={tileSizes.map(value => ({ value, title: t.floor.tileSizes[value] }))}
          onValue={size => onChange({ tiles: size === 'large' ? null : size })}
        />
      </div>
    </div>
  )
}
