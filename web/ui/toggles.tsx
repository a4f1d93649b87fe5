import type { Status } from '../../schema/document.ts'
import { StatusMark } from './status-mark.tsx'

interface TogglesProps<Value extends string | null> {
  readonly label: string
  readonly value: Value | undefined
  readonly options: readonly {
    readonly value: Value
    readonly title: string
    readonly count?: string | undefined
    readonly status?: Status | undefined
  }[]
  readonly onValue: (value: Value) => void
}

/** A choice of one of some values, a button each. */
export function Toggles<Value extends string | null>({ label, value, options, onValue }: TogglesProps<Value>) {
  return (
    <div class="filters" role="group" aria-label={label}>
      {options.map(option => (
        <button
          key={option.value}
          type="button"
          class="filter"
          data-status={option.status}
          aria-pressed={option.value === value}
          onClick={() => onValue(option.value)}
        >
          {option.status && <StatusMark status={option.status} size={14} />}
          {option.title}
          {option.count !== undefined && (
            <>
              {' '}
              <b>{option.count}</b>
            </>
          )}
        </button>
      ))}
    </div>
  )
}
