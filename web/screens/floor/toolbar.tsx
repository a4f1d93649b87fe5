import type { AddressQuery } from '../../router/address.ts'
import { useLocale } from '../../texts/locale.ts'
import { Field, Select } from '../../ui/field.tsx'
import { statusOrder } from '../../data/status.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import { arrangements, countStatuses, type FloorView } from './arrange.ts'
import type { FloorMachine } from './floor-machine.ts'

interface ToolbarProps {
  readonly machines: readonly FloorMachine[]
  readonly view: FloorView
  readonly onChange: (changes: AddressQuery) => void
}

/** Filters of the floor. The address contains them, so that a view can be bookmarked and shared. */
export function Toolbar({ machines, view, onChange }: ToolbarProps) {
  const { t, format } = useLocale()
  const counts = countStatuses(machines)
  const groups = groupsOf(machines)
  return (
    <div class="toolbar">
      <div class="filters" role="group" aria-label={t.floor.filterLabel}>
        <button
          type="button"
          class="filter"
          aria-pressed={view.status === null}
          onClick={() => onChange({ status: null })}
        >
          {t.floor.all} <b>{format.count(machines.length)}</b>
        </button>
        {statusOrder.map(status => (
          <button
            key={status}
            type="button"
            class="filter"
            data-status={status}
            aria-pressed={view.status === status}
            onClick={() => onChange({ status: view.status === status ? null : status })}
          >
            <StatusMark status={status} size={14} />
            {t.status[status]} <b>{format.count(counts.get(status) ?? 0)}</b>
          </button>
        ))}
      </div>
      <div class="choices">
        <Field
          label={t.floor.search}
          type="search"
          placeholder={t.floor.searchHint}
          autocomplete="off"
          value={view.words}
          onValue={words => onChange({ q: words })}
        />
        {groups.length > 1 && (
          <Select
            label={t.floor.group}
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
      </div>
    </div>
  )
}

function groupsOf(machines: readonly FloorMachine[]): readonly { readonly value: string; readonly title: string }[] {
  const byId = new Map(machines.flatMap(({ machine }) => machine.machineGroups.map(({ id, name }) => [id, name])))
  return [...byId].map(([value, title]) => ({ value, title })).sort((a, b) => a.title.localeCompare(b.title))
}
