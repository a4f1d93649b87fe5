import { Icon, type IconName } from './icon.tsx'

interface ButtonProps {
  readonly text: string
  /** `link`, or classes beside `button`: `primary`, `quiet`, `danger`, `wide`. */
  readonly look?: string
  readonly icon?: IconName
  readonly title?: string
  /** Name of the record that the action concerns, for readers of the screen: `Delete: Lathe 1`. */
  readonly of?: string
  readonly disabled?: boolean
  readonly 'aria-label'?: string
  readonly 'aria-pressed'?: boolean
  readonly 'aria-disabled'?: boolean
  readonly 'aria-expanded'?: boolean
  readonly 'aria-controls'?: string
  readonly onClick?: () => void
}

/** A button with a text, and optionally an icon before it. */
export function Button({ text, look, icon, of, ...rest }: ButtonProps) {
  return (
    <button
      type={rest.onClick ? 'button' : 'submit'}
      class={look === 'link' ? 'link-button' : look ? `button ${look}` : 'button'}
      {...(of !== undefined && { 'aria-label': actionOf(text, of) })}
      {...rest}
    >
      {icon && <Icon name={icon} size={16} />}
      {text}
    </button>
  )
}

/** Returns an action with the name of the record that it concerns. */
export function actionOf(text: string, name: string): string {
  return `${text}: ${name}`
}
