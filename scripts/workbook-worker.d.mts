export function programConstants(version: string): Promise<Record<string, string>>;
