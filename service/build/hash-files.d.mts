export function hashFiles(root: string, names: readonly string[], text?: string): string
