import { Logo } from './logo.tsx'

/** Head of a screen before sign-in. */
export function GateHead({ title }: { readonly title: string }) {
  return (
    <div class="gate-brand">
      <Logo size={40} />
      <h1>{title}</h1>
    </div>
  )
}
