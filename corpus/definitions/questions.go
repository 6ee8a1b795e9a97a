package definitions

import "strings"

// Question is a link: nvlink's release, its options, and the keys of its
// inputs, which are called a.cubin, b.cubin and c.cubin.
type Question struct {
	Release string
	Arch    string
	Options []string
	Objects []string
}

// ID is the question as one line.
func (q *Question) ID() string {
	return q.Release + "\t" + q.Arch + "\t" + strings.Join(q.Options, " ") + "\t" + strings.Join(q.Objects, "; ")
}

// Args are the arguments of the link.
func (q *Question) Args() []string {
	args := append([]string{"-arch=" + q.Arch}, q.Options...)
	for i := range q.Objects {
		args = append(args, InputName(i))
	}
	return append(args, "-o", "out.cubin")
}

// InputName is the file name of an input.
func InputName(i int) string { return string(rune('a'+i)) + ".cubin" }

// machine is a release and an architecture that all questions are asked of.
type machine struct{ release, arch string }

var machines = []machine{{"11.8", "sm_75"}, {"12.4", "sm_75"}, {"13.0", "sm_75"}, {"13.0", "sm_100"}, {"13.5", "sm_75"}, {"13.5", "sm_100"}}

// Questions returns all questions, in a fixed order: every ordered pair of
// ways, above sm_90 those of a group; pairs of a group with each attribute that
// may break a tie; and, of one release, triples of a group.
func Questions() []Question {
	var list []Question
	for _, m := range machines {
		for _, a := range ways {
			for _, b := range ways {
				if a.Group == b.Group || m.arch != "sm_100" {
					list = append(list, m.ask(nil, m.object(a, "a", ""), m.object(b, "b", "")))
				}
			}
		}
		for _, a := range ways {
			for _, b := range ways {
				if a.Group == b.Group && !unlikely(a, b) {
					list = m.attributes(list, a, b)
				}
			}
		}
	}
	m := machines[2]
	for _, a := range ways {
		for _, b := range ways {
			for _, c := range ways {
				if a.Group == b.Group && b.Group == c.Group && !unlikely(a, b, c) {
					list = append(list, m.ask(nil, m.object(a, "a", ""), m.object(b, "b", ""), m.object(c, "c", "")))
				}
			}
		}
	}
	return list
}

// unlikely reports whether a list has a way that the plain pairs show to clash
// with all others of its group, or that brings nothing of its own.
func unlikely(list ...Way) bool {
	for _, w := range list {
		if strings.Contains(w.Name, "_other") || w.Name == "func_noreturn" || strings.Contains(w.Name, "_static") || w.Group == "texture" {
			return true
		}
	}
	return false
}

func (m machine) object(w Way, side, attributes string) string {
	return m.release + "/" + m.arch + "/" + w.Name + "." + side + attributes
}

func (m machine) ask(options []string, objects ...string) Question {
	return Question{Release: m.release, Arch: m.arch, Options: options, Objects: objects}
}

// joined is the key of what -r makes of objects of this machine.
func (m machine) joined(objects ...string) string {
	prefix := m.release + "/" + m.arch + "/"
	var list []string
	for _, o := range objects {
		list = append(list, strings.TrimPrefix(o, prefix))
	}
	return prefix + "-r(" + strings.Join(list, " ") + ")"
}

// attributes adds the questions of a pair with an attribute that may break a tie.
func (m machine) attributes(list []Question, a, b Way) []Question {
	plain := func(w Way, side string) string { return m.object(w, side, "") }
	each := func(options []string, attribute string) {
		list = append(list,
			m.ask(options, m.object(a, "a", attribute), plain(b, "b")),
			m.ask(options, plain(a, "a"), m.object(b, "b", attribute)))
	}
	newer := ",target=sm_75"
	if m.arch == "sm_100" {
		newer = ",target=sm_90"
	}
	if m.release != "13.0" || m.arch != "sm_75" {
		each(nil, newer) // the plain target is older
	}
	if m.release == "11.8" || m.arch == "sm_100" {
		return list
	}
	switch a.Group {
	case "global", "managed", "const", "shared":
		each(nil, ",words=2")
		each(nil, ",align=64")
	}
	each(nil, ",-g")
	list = append(list,
		m.ask([]string{"-g"}, m.object(a, "a", ",-g"), m.object(b, "b", ",-g")),
		m.ask([]string{"-g"}, plain(a, "a"), plain(b, "b")),
		m.ask([]string{"--preserve-relocs"}, plain(a, "a"), plain(b, "b")))
	for _, old := range machines {
		if old.release < m.release && old.arch == m.arch {
			list = append(list,
				m.ask(nil, old.object(a, "a", ""), plain(b, "b")),
				m.ask(nil, plain(a, "a"), old.object(b, "b", "")))
		}
	}
	if m.release >= "13" {
		list = append(list,
			m.ask([]string{"-r"}, plain(a, "a"), plain(b, "b")),
			m.ask(nil, m.joined(plain(a, "a")), plain(b, "b")),
			m.ask(nil, plain(a, "a"), m.joined(plain(b, "b"))),
			m.ask(nil, m.joined(plain(a, "a"), plain(b, "b"))))
	}
	return list
}

// Machines are the releases and architectures that are asked.
func Machines() [][2]string {
	var list [][2]string
	for _, m := range machines {
		list = append(list, [2]string{m.release, m.arch})
	}
	return list
}
