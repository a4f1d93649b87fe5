import { useLocale } from '../../texts/locale.ts'
import type { RecordKind } from './record-kind.ts'
import { useSettingsTexts } from './settings-texts.ts'

interface RecordTableProps<Item, Data> {
  readonly kind: RecordKind<Item, Data>
  readonly data: Data
  readonly items: readonly Item[]
  readonly onEdit: (item: Item) => void
  readonly onRemove: (item: Item) => void
}

/** Records of a kind, each with what can be done with it. */
export function RecordTable<Item, Data>({ kind, data, items, onEdit, onRemove }: RecordTableProps<Item, Data>) {
  const { t } = useLocale()
  const words = useSettingsTexts()
  return (
    <table class="table compact">
      <thead>
        <tr>
          <th scope="col">{words.name}</th>
          {kind.columns.map(({ title }) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
          <th scope="col">{t.keys.actions}</th>
        </tr>
      </thead>
      <tbody>
        {items.map(item => (
          <tr key={kind.idOf(item)}>
            <th scope="row">
              {kind.nameOf(item)}
              {kind.moreOf && <span class="hint under-name">{kind.moreOf(item)}</span>}
            </th>
            {kind.columns.map(({ title, cell }) => (
              <td key={title} data-label={title}>
                {cell(item, data)}
              </td>
            ))}
            <td class="actions">
              <button
                type="button"
                class="button quiet"
                aria-label={words.editOf(kind.nameOf(item))}
                onClick={() => onEdit(item)}
              >
                {t.keys.edit}
              </button>
              {kind.remove && (kind.remove.allows?.(item) ?? true) && (
                <button
                  type="button"
                  class="button quiet danger"
                  aria-label={words.removeOf(kind.remove.action, kind.nameOf(item))}
                  onClick={() => onRemove(item)}
                >
                  {kind.remove.action}
                </button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
