import { Logo } from './logo.tsx'

/** Head of a screen that is shown before anybody is signed in. */
export function GateHead({ title }: { readonly title: string }) {
  return (
    <div class="gate-brand">
      <Logo size={40} />
      <h1>{title}</h1>
    </div>
  )
}
