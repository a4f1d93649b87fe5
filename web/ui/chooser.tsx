import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { useLocale } from '../texts/locale.ts'
import { Labelled, Select, type SelectProps } from './field.tsx'
import { findOptions } from './find-options.ts'

/** A choice of more options is made by a search. */
const maxListed = 30
/** Most options that a search shows. */
const maxFound = 50

/** A labelled choice of one of some values: from a list, or by a search if there are many. */
export function Chooser<Value extends string>(props: SelectProps<Value>) {
  return props.options.length <= maxListed ? <Select {...props} /> : <SearchChooser {...props} />
}

function SearchChooser<Value extends string>({ value, options, onValue, ...label }: SelectProps<Value>) {
  const { t, format } = useLocale()
  const listId = useId()
  /** null: the list is closed. */
  const [search, setSearch] = useState<string | null>(null)
  const [at, setAt] = useState(0)
  const list = useRef<HTMLUListElement>(null)
  const title = options.find(option => option.value === value)?.title ?? ''
  const found = search === null ? [] : findOptions(options, search)
  const shown = found.slice(0, maxFound)
  const open = (text: string) => {
    setSearch(text)
    setAt(0)
  }
  const close = () => setSearch(null)
  const choose = (index: number) => {
    const option = shown[index]
    if (option === undefined) return
    close()
    onValue(option.value)
  }
  useEffect(() => list.current?.children[at]?.scrollIntoView({ block: 'nearest' }), [at])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (search === null) open('')
      else setAt(Math.max(0, Math.min(shown.length - 1, at + (event.key === 'ArrowDown' ? 1 : -1))))
    } else if (search === null) return
    else if (event.key === 'Enter') choose(at)
    else if (event.key === 'Escape') close()
    else return
    event.preventDefault()
  }
  return (
    <Labelled {...label}>
      {control => (
        <div class="chooser">
          <input
            {...control}
            list={undefined}
            type="search"
            role="combobox"
            autocomplete="off"
            spellcheck={false}
            aria-expanded={search !== null}
            aria-controls={listId}
            aria-autocomplete="list"
            aria-activedescendant={shown.length > 0 ? `${listId}-${at}` : undefined}
            value={search ?? title}
            placeholder={search === null ? undefined : title}
            onInput={event => open(event.currentTarget.value)}
            onClick={() => search === null && open('')}
            onBlur={close}
            onKeyDown={onKeyDown}
          />
          {search !== null && (
            // The input keeps the focus, also while the list is scrolled.
            <div class="chooser-list" onMouseDown={event => event.preventDefault()}>
              <ul ref={list} id={listId} role="listbox" aria-label={label.label}>
                {shown.map((option, index) => (
                  <li
                    key={option.value}
                    id={`${listId}-${index}`}
                    role="option"
                    aria-selected={index === at}
                    data-chosen={option.value === value}
                    onClick={() => choose(index)}
                  >
                    {option.title}
                  </li>
                ))}
              </ul>
              {found.length === 0 && <p class="hint">{t.records.nothingFound}</p>}
              {found.length > shown.length && (
                <p class="hint">{t.reports.shownOf(format.count(shown.length), format.count(found.length))}</p>
              )}
            </div>
          )}
        </div>
      )}
    </Labelled>
  )
}
